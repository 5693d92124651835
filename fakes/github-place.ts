import type { Addresses } from './github-bodies.ts';
import { accessTo } from './tokens.ts';
import type { Access, FakeIssue, FakeProject } from './state.ts';
import type { Call, WireReply } from './wire.ts';
import type { World } from './world.ts';

const DOCS = 'https://docs.github.com/rest';

/** GithubPlace finds what a call is about, as far as the caller may see it, and refuses in GitHub's words. */
export class GithubPlace {
  readonly base: string;
  readonly world: World;
  readonly addresses: Addresses;
  readonly enterprise: boolean;

  constructor(world: World, addresses: Addresses, enterprise: boolean) {
    this.base = enterprise ? '/api/v3' : '';
    this.world = world;
    this.addresses = addresses;
    this.enterprise = enterprise;
  }

  /** error is a refusal in the vendor's shape. */
  error(status: number, message: string, more: Readonly<Record<string, unknown>> = {}): WireReply {
    const own = this.enterprise ? {} : { status: String(status) };
    return { status, body: { message, ...more, documentation_url: DOCS, ...own } };
  }

  /** invalid is a refusal of one field. */
  invalid(field: string, code: string, message?: string): WireReply {
    const errors = [{ resource: 'Issue', field, code, ...(message === undefined ? {} : { message }) }];
    return this.error(422, 'Validation Failed', { errors });
  }

  /** project finds the repository of a call and what the caller may do there, or gives the refusal. */
  project(call: Call): { project: FakeProject; access: Access } | WireReply {
    const path = decodeURIComponent(call.params[0] ?? '');
    const [, id] = /^repositories\/(\d+)$/.exec(path) ?? [];
    const name = path.replace(/^repos\//, '').toLowerCase();
    const project = this.world.projects.find((one) =>
      id === undefined ? one.path.toLowerCase() === name : one.id === Number(id),
    );
    if (project !== undefined) {
      const access = accessTo(call.token, project);
      return access === 'none' ? this.error(404, 'Not Found') : { project, access };
    }
    const moved = id === undefined ? this.world.movedProject(name) : undefined;
    if (moved === undefined || accessTo(call.token, moved) === 'none') return this.error(404, 'Not Found');
    const rest = call.request.path.slice(this.base.length).replace(/^\/repos\/[^/]+\/[^/]+/, '');
    return this.moved(call, `${this.addresses.api}/repositories/${moved.id}${rest}`);
  }

  /** moved: a renamed repository leads on by 301, and by 307 where something is to be made. */
  moved(call: Call, url: string): WireReply {
    const status = call.request.method === 'POST' ? 307 : 301;
    const body = {
      message: 'Moved Permanently',
      url,
      documentation_url: `${DOCS}/guides/best-practices-for-using-the-rest-api#follow-redirects`,
    };
    return { status, headers: { location: url }, body };
  }

  /** issue finds the issue of a call, or gives the refusal. */
  issue(call: Call): { issue: FakeIssue; access: Access } | WireReply {
    const at = this.project(call);
    if ('status' in at) return at;
    const number = Number(call.params[1]);
    const issue = this.world.issue(at.project.path, number);
    if (issue === undefined) {
      const moved = this.world.movedIssue(at.project, number);
      if (moved === undefined) return this.error(404, 'Not Found');
      if (accessTo(call.token, moved.project) === 'none') return this.error(404, 'Not Found');
      const rest = call.request.path.replace(/^.*\/issues\/\d+/, '');
      return this.moved(
        call,
        `${this.addresses.api}/repositories/${moved.project.id}/issues/${moved.number}${rest}`,
      );
    }
    if (issue.deleted) return this.error(410, 'This issue was deleted');
    if (!at.project.issuesEnabled) return this.error(410, 'Issues are disabled for this repo');
    return { issue, access: at.access };
  }

  /** mayWrite refuses accounts that may only read, and writes to an archive. */
  mayWrite(project: FakeProject, access: Access): WireReply | null {
    if (access === 'read') {
      const reply = this.error(403, 'Resource not accessible by personal access token');
      return { ...reply, headers: { 'x-accepted-github-permissions': 'issues=write' } };
    }
    return project.archived ? this.error(403, 'Repository was archived so is read-only.') : null;
  }
}
