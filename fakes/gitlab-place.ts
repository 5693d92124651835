import { accessTo } from './tokens.ts';
import type { Access, FakeIssue, FakeProject } from './state.ts';
import type { Call, WireReply } from './wire.ts';
import type { World } from './world.ts';

/** GitlabPlace finds what a call is about, as far as the caller may see it. `web` is the address of the instance. */
export class GitlabPlace {
  readonly base: string;
  readonly world: World;
  readonly web: string;

  constructor(world: World, web: string, root: string) {
    this.base = `${root}/api/v4`;
    this.world = world;
    this.web = web;
  }

  /** project finds the project of a call, or gives the refusal; `write` says whether the call is to change it. */
  project(call: Call, write: boolean): { project: FakeProject; access: Access } | WireReply {
    const missing = { status: 404, body: { message: '404 Project Not Found' } };
    const id = decodeURIComponent(call.params[0] ?? '');
    const direct = this.world.projects.find((one) =>
      /^\d+$/.test(id) ? one.id === Number(id) : one.path.toLowerCase() === id.toLowerCase(),
    );
    const project = direct ?? this.world.movedProject(id);
    if (project === undefined) return missing;
    const access = accessTo(call.token, project);
    if (access === 'none') return missing;
    if (direct === undefined) {
      if (call.request.method !== 'GET') {
        return { status: 405, body: { message: 'Non GET methods are not allowed for moved projects' } };
      }
      const rest = call.request.path.slice(this.base.length).replace(/^\/projects\/[^/]+/, '');
      const location = `${this.web}/api/v4/projects/${project.id}${rest}`;
      return {
        status: 301,
        headers: { location, 'content-type': 'text/plain' },
        body: `This resource has been moved permanently to ${location}`,
      };
    }
    if (write) {
      if (call.token.scopes.includes('read_api')) {
        const text = 'The request requires higher privileges than provided by the access token.';
        return { status: 403, body: { error: 'insufficient_scope', error_description: text, scope: 'api' } };
      }
      if (project.archived || access === 'read') return { status: 403, body: { message: '403 Forbidden' } };
    }
    return { project, access };
  }

  /** issue finds the issue of a call, or gives the refusal. */
  issue(call: Call, write: boolean): { issue: FakeIssue; access: Access } | WireReply {
    const at = this.project(call, write);
    if ('status' in at) return at;
    const issue = this.world.issue(at.project.path, Number(call.params[1]));
    const gone = issue === undefined || issue.deleted || !at.project.issuesEnabled;
    return gone ? { status: 404, body: { message: '404 Not found' } } : { issue, access: at.access };
  }
}
