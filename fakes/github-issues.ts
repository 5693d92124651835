import { commentBody, issueBody } from './github-bodies.ts';
import type { GithubPlace } from './github-place.ts';
import { isRecord, textOf } from './json.ts';
import { cutPage } from './pages.ts';
import { seconds, type Call, type Route, type WireReply } from './wire.ts';

const TITLE_MAX = 256;
const BODY_MAX = 65_536;
const ISSUE_FIELDS = ['title', 'body', 'assignee', 'assignees', 'milestone', 'labels', 'type'];
const REASONS = ['completed', 'not_planned', 'duplicate', 'reopened'];

/** REPOSITORY is the part of a path that names a repository, as a pattern. */
export const REPOSITORY = String.raw`/(repos/[^/]+/[^/]+|repositories/\d+)`;

/** GithubIssues answers the calls about issues and their comments. */
export class GithubIssues {
  readonly #place: GithubPlace;

  constructor(place: GithubPlace) {
    this.#place = place;
  }

  /** routes are the endpoints. */
  routes(): Route[] {
    const at = (rest: string): RegExp => new RegExp(`^${REPOSITORY}${rest}$`);
    const issue = String.raw`/issues/(\d+)`;
    const page = ['page', 'per_page'];
    const lists = [...page, 'state', 'creator', 'since', 'labels', 'sort', 'direction'];
    const changes = [...ISSUE_FIELDS, 'state', 'state_reason'];
    return [
      { act: 'find', method: 'GET', path: at('/issues'), query: lists, answer: (call) => this.#list(call) },
      {
        act: 'create',
        method: 'POST',
        path: at('/issues'),
        fields: ISSUE_FIELDS,
        answer: (call) => this.#create(call),
      },
      { act: 'read', method: 'GET', path: at(issue), answer: (call) => this.#read(call) },
      {
        act: 'close',
        method: 'PATCH',
        path: at(issue),
        fields: changes,
        answer: (call) => this.#update(call),
      },
      {
        act: 'comments',
        method: 'GET',
        path: at(`${issue}/comments`),
        query: [...page, 'since'],
        answer: (call) => this.#comments(call),
      },
      {
        act: 'comment',
        method: 'POST',
        path: at(`${issue}/comments`),
        fields: ['body'],
        answer: (call) => this.#comment(call),
      },
    ];
  }

  #list(call: Call): WireReply {
    const at = this.#place.project(call);
    if ('status' in at) return at;
    const { query } = call.request;
    const state = query.get('state') ?? 'open';
    if (!['open', 'closed', 'all'].includes(state)) return this.#place.invalid('state', 'invalid');
    const since = query.has('since') ? Date.parse(query.get('since') ?? '') : -Infinity;
    if (Number.isNaN(since)) return this.#place.invalid('since', 'invalid');
    const labels = (query.get('labels') ?? '').split(',').filter((label) => label !== '');
    const creator = query.get('creator');
    const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
    const sign = query.get('direction') === 'asc' ? 1 : -1;
    const found = this.#place.world.issues
      .filter((one) => one.project === at.project && !one.deleted && this.#place.world.isListed(one))
      .filter((one) => state === 'all' || one.state === state)
      .filter((one) => creator === null || one.author.login.toLowerCase() === creator.toLowerCase())
      .filter((one) => Math.floor(one.updatedAt / 1000) * 1000 >= since)
      .filter((one) => labels.every((label) => one.labels.includes(label)))
      .toSorted((a, b) => sign * (a[key] - b[key] || a.id - b.id));
    return this.#paged(
      call,
      found.map((issue) => issueBody(issue, this.#place.addresses)),
    );
  }

  #paged(call: Call, all: readonly unknown[]): WireReply {
    const path = call.request.path.slice(this.#place.base.length);
    const { items, link } = cutPage(all, call.request, 30, `${this.#place.addresses.api}${path}`);
    return { status: 200, body: items, ...(link === null ? {} : { headers: { link } }) };
  }

  #create(call: Call): WireReply {
    const at = this.#place.project(call);
    if ('status' in at) return at;
    const refused = this.#place.mayWrite(at.project, at.access);
    if (refused !== null) return refused;
    if (!at.project.issuesEnabled)
      return this.#place.error(410, 'Issues has been disabled in this repository.');
    const { title, body, labels = [] } = call.body;
    if (title === undefined || title === '') return this.#place.invalid('title', 'missing_field');
    const wrong = this.#wrongText('title', title, TITLE_MAX) ?? this.#wrongText('body', body ?? '', BODY_MAX);
    if (wrong !== null) return wrong;
    const names = labelNames(labels);
    if (names === null || names.some((name) => name.length > 50))
      return this.#place.invalid('labels', 'invalid');
    const issue = this.#place.world.open({
      project: at.project.path,
      title: textOf(title),
      body: body ?? null,
      labels: at.access === 'write' ? names : [],
      by: call.token.user.login,
    });
    const made = issueBody(issue, this.#place.addresses);
    return { status: 201, headers: { location: String(made['url']) }, body: made };
  }

  #wrongText(field: string, value: unknown, max: number): WireReply | null {
    if (typeof value !== 'string') return this.#place.invalid(field, 'invalid');
    // GitHub counts characters, and an emoji is one of them.
    if ([...value].length <= max) return null;
    return this.#place.invalid(field, 'custom', `${field} is too long (maximum is ${max} characters)`);
  }

  #read(call: Call): WireReply {
    const at = this.#place.issue(call);
    return 'status' in at ? at : { status: 200, body: issueBody(at.issue, this.#place.addresses) };
  }

  #update(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const { issue, access } = at;
    const refused = this.#place.mayWrite(issue.project, access);
    if (refused !== null) return refused;
    const own = issue.author.id === call.token.user.id;
    if (access !== 'write' && !own) return this.#place.error(403, 'Must have admin rights to Repository.');
    const { state, state_reason: reason, title, body, labels } = call.body;
    if (state !== undefined && state !== 'open' && state !== 'closed')
      return this.#place.invalid('state', 'invalid');
    if (reason !== undefined && reason !== null && !REASONS.includes(textOf(reason))) {
      return this.#place.invalid('state_reason', 'invalid');
    }
    const wrong =
      this.#wrongText('title', title ?? 'kept', TITLE_MAX) ?? this.#wrongText('body', body ?? '', BODY_MAX);
    if (wrong !== null) return wrong;
    const names = labels === undefined ? undefined : labelNames(labels);
    if (names === null) return this.#place.invalid('labels', 'invalid');
    const by = call.token.user.login;
    if (title !== undefined || body !== undefined || names !== undefined) {
      const change = {
        ...(title === undefined ? {} : { title: textOf(title) }),
        ...(body === undefined ? {} : { body }),
        ...(names === undefined || access !== 'write' ? {} : { labels: names }),
      };
      this.#place.world.edit(issue, change, by);
    }
    if (state === 'closed')
      this.#place.world.close(issue, by, typeof reason === 'string' ? reason : 'completed');
    if (state === 'open') this.#place.world.reopen(issue, by);
    return { status: 200, body: issueBody(issue, this.#place.addresses) };
  }

  #comments(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const since = Date.parse(call.request.query.get('since') ?? seconds(0));
    if (Number.isNaN(since)) return this.#place.invalid('since', 'invalid');
    const found = at.issue.comments.filter((one) => Math.floor(one.at / 1000) * 1000 >= since);
    return this.#paged(
      call,
      found.map((one) => commentBody(at.issue, one, this.#place.addresses)),
    );
  }

  #comment(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const refused = this.#place.mayWrite(at.issue.project, at.access);
    if (refused !== null) return refused;
    if (at.issue.locked && at.access !== 'write') {
      return this.#place.error(403, 'Unable to create comment because issue is locked.');
    }
    const { body } = call.body;
    if (body === undefined || body === '') return this.#place.invalid('body', 'missing_field');
    const wrong = this.#wrongText('body', body, BODY_MAX);
    if (wrong !== null) return wrong;
    const comment = this.#place.world.comment(at.issue, body, call.token.user.login);
    const made = commentBody(at.issue, comment, this.#place.addresses);
    return { status: 201, headers: { location: String(made['url']) }, body: made };
  }
}

function labelNames(labels: unknown): string[] | null {
  if (!Array.isArray(labels)) return null;
  const names = labels.map((label: unknown) => (isRecord(label) ? label['name'] : label));
  return names.every((name) => typeof name === 'string' && name !== '') ? (names as string[]) : null;
}
