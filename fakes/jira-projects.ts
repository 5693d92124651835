import {
  fieldBody,
  ISSUE_TYPES,
  issueTypeBody,
  jiraTime,
  permissionBody,
  projectBody,
  userBody,
} from './jira-bodies.ts';
import type { JiraPlace } from './jira-place.ts';
import type { Call, Route, WireReply } from './wire.ts';

/** JiraProjects answers the calls about the server, the own account and projects: all that only reads. */
export class JiraProjects {
  readonly #place: JiraPlace;

  constructor(place: JiraPlace) {
    this.#place = place;
  }

  /** routes are the endpoints. */
  routes(): Route[] {
    const at = (path: string): RegExp => this.#place.at(path);
    const page = ['startAt', 'maxResults'];
    const types = at('/issue/createmeta/([^/]+)/issuetypes');
    const fields = at('/issue/createmeta/([^/]+)/issuetypes/([^/]+)');
    const rights = ['projectKey', 'permissions', 'issueKey'];
    return [
      {
        act: 'server_info',
        method: 'GET',
        path: at('/serverInfo'),
        open: true,
        answer: () => this.#serverInfo(),
      },
      {
        act: 'self',
        method: 'GET',
        path: at('/myself'),
        query: ['expand'],
        answer: (call) => this.#self(call),
      },
      {
        act: 'test',
        method: 'GET',
        path: at('/project/([^/]+)'),
        query: ['expand', 'properties'],
        answer: (call) => this.#get(call),
      },
      {
        act: 'permissions',
        method: 'GET',
        path: at('/mypermissions'),
        query: rights,
        answer: (call) => this.#permissions(call),
      },
      { act: 'fields', method: 'GET', path: types, query: page, answer: (call) => this.#types(call) },
      { act: 'fields', method: 'GET', path: fields, query: page, answer: (call) => this.#fields(call) },
    ];
  }

  #serverInfo(): WireReply {
    const version = this.#place.addresses.cloud ? '1001.0.0-SNAPSHOT' : '10.3.24';
    return {
      status: 200,
      body: {
        baseUrl: this.#place.addresses.site,
        ...(this.#place.addresses.cloud ? { displayUrl: this.#place.addresses.site } : {}),
        version,
        versionNumbers: this.#place.addresses.cloud ? [1001, 0, 0] : [10, 3, 24],
        deploymentType: this.#place.addresses.cloud ? 'Cloud' : 'Server',
        buildNumber: 100_300,
        buildDate: jiraTime(this.#place.world.now()),
        serverTime: jiraTime(this.#place.world.now()),
        scmInfo: 'fa4e5f00d0',
        serverTitle: 'Jira',
      },
    };
  }

  #self(call: Call): WireReply {
    const body = userBody(call.token.user, this.#place.addresses, true);
    return {
      status: 200,
      body: {
        ...body,
        locale: 'en_US',
        groups: { size: 1, items: [] },
        applicationRoles: { size: 1, items: [] },
      },
    };
  }

  #get(call: Call): WireReply {
    const key = call.params[0] ?? '';
    const at = this.#place.project(key, call.token);
    if (at === null)
      return this.#place.refuse(404, [`No project could be found with key '${decodeURIComponent(key)}'.`]);
    return {
      status: 200,
      body: projectBody(at.project, this.#place.addresses, this.#place.world.user('alice')),
    };
  }

  #permissions(call: Call): WireReply {
    const key = call.request.query.get('projectKey') ?? '';
    const at = this.#place.project(key, call.token);
    if (at === null) return this.#place.refuse(404, [`No project could be found with key '${key}'.`]);
    const all = ['BROWSE_PROJECTS', 'CREATE_ISSUES', 'ADD_COMMENTS', 'TRANSITION_ISSUES'];
    const asked =
      call.request.query.get('permissions')?.split(',') ?? (this.#place.addresses.cloud ? null : all);
    if (asked === null) return this.#place.refuse(400, ["The 'permissions' query parameter is required."]);
    const may = { none: 0, read: 1, report: 3, write: 4 }[at.access];
    const bodies = asked.map((name) => [
      name,
      permissionBody(name, all.indexOf(name) !== -1 && all.indexOf(name) < may, 10 + all.indexOf(name)),
    ]);
    return { status: 200, body: { permissions: Object.fromEntries(bodies) } };
  }

  #types(call: Call): WireReply {
    const at = this.#place.project(call.params[0] ?? '', call.token);
    if (at === null) return this.#place.refuse(404, ['No project could be found.']);
    const types = ISSUE_TYPES.map((type) => issueTypeBody(type, this.#place.addresses));
    const page = { startAt: 0, maxResults: 50, total: types.length };
    return {
      status: 200,
      body: this.#place.addresses.cloud
        ? { ...page, issueTypes: types }
        : { ...page, isLast: true, values: types },
    };
  }

  #fields(call: Call): WireReply {
    const at = this.#place.project(call.params[0] ?? '', call.token);
    if (at === null) return this.#place.refuse(404, ['No project could be found.']);
    const system = { summary: true, issuetype: true, project: true, description: false, labels: false };
    const fields = [
      ...Object.entries(system).map(([id, required]) => ({ fieldId: id, ...fieldBody(id, id, required) })),
      ...Object.entries(at.project.requiredFields).map(([id, name]) => ({
        fieldId: id,
        ...fieldBody(id, name, true),
      })),
    ];
    const page = { startAt: 0, maxResults: 50, total: fields.length };
    return {
      status: 200,
      body: this.#place.addresses.cloud ? { ...page, fields } : { ...page, isLast: true, values: fields },
    };
  }
}
