import { keyOf, type JiraAddresses } from './jira-bodies.ts';
import type { Access, FakeIssue, FakeProject } from './state.ts';
import { accessTo, type FakeToken } from './tokens.ts';
import type { Call, WireReply } from './wire.ts';
import type { World } from './world.ts';

const MISSING = 'Issue does not exist or you do not have permission to see it.';

/** JiraPlace finds what a call is about, as far as the caller may see it, and refuses in Jira's words. */
export class JiraPlace {
  readonly world: World;
  readonly addresses: JiraAddresses;
  readonly rest: string;

  constructor(world: World, addresses: JiraAddresses) {
    this.world = world;
    this.addresses = addresses;
    this.rest = `/rest/api/${addresses.cloud ? 3 : 2}`;
  }

  /** at is the pattern of a path beneath the version of the API. */
  at(path: string): RegExp {
    return new RegExp(`^${this.rest}${path}$`);
  }

  /** refuse is a refusal in Jira's shape: sentences, and one for each field. */
  refuse(
    status: number,
    messages: readonly string[],
    errors: Readonly<Record<string, string>> = {},
  ): WireReply {
    return { status, body: { errorMessages: messages, errors } };
  }

  /** project finds a project by its key or id as far as the token sees it; null for none. */
  project(key: string, token: FakeToken): { project: FakeProject; access: Access } | null {
    const wanted = decodeURIComponent(key);
    const project =
      this.world.projects.find((one) => one.path === wanted || String(one.id) === wanted) ??
      this.world.movedProject(wanted);
    if (project === undefined) return null;
    const access = accessTo(token, project);
    return access === 'none' ? null : { project, access };
  }

  /** issue finds an issue by its id, its key, or a key that it once had. */
  issue(call: Call): { issue: FakeIssue; access: Access } | WireReply {
    const wanted = decodeURIComponent(call.params[0] ?? '');
    const [, key = '', number = ''] = /^([A-Z][A-Z0-9_]*)-(\d+)$/.exec(wanted) ?? [];
    const project = this.world.projects.find((one) => one.path === key || one.formerPaths.includes(key));
    const issue =
      this.world.issues.find((one) => String(one.id) === wanted || keyOf(one) === wanted) ??
      (project === undefined
        ? undefined
        : (this.world.movedIssue(project, Number(number)) ?? this.world.issue(project.path, Number(number))));
    if (issue === undefined || issue.deleted) return this.refuse(404, [MISSING]);
    const access = accessTo(call.token, issue.project);
    return access === 'none' ? this.refuse(404, [MISSING]) : { issue, access };
  }
}
