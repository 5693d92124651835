import { issueBody, noteBody } from './gitlab-bodies.ts';
import type { GitlabPlace } from './gitlab-place.ts';
import { cutPage } from './pages.ts';
import { accessTo } from './tokens.ts';
import type { Call, Route, WireReply } from './wire.ts';

const LIST_QUERY = [
  ...[
    'page',
    'per_page',
    'state',
    'scope',
    'author_id',
    'author_username',
    'created_after',
    'created_before',
  ],
  ...['updated_after', 'updated_before', 'labels', 'search', 'in', 'order_by', 'sort', 'iids', 'pagination'],
];
const NOTE_QUERY = ['page', 'per_page', 'sort', 'order_by', 'activity_filter'];

/** GitlabLists answers the calls that list issues and notes. */
export class GitlabLists {
  readonly #place: GitlabPlace;

  constructor(place: GitlabPlace) {
    this.#place = place;
  }

  /** routes are the endpoints. */
  routes(): Route[] {
    const notes = /^\/projects\/([^/]+)\/issues\/(\d+)\/notes$/;
    const list = (call: Call): WireReply => this.#list(call);
    return [
      { act: 'find', method: 'GET', path: /^\/projects\/([^/]+)\/issues$/, query: LIST_QUERY, answer: list },
      { act: 'find', method: 'GET', path: /^\/issues$/, query: LIST_QUERY, answer: list },
      { act: 'comments', method: 'GET', path: notes, query: NOTE_QUERY, answer: (call) => this.#notes(call) },
    ];
  }

  #list(call: Call): WireReply {
    const everywhere = call.params.length === 0;
    const at = everywhere ? null : this.#place.project(call, false);
    if (at !== null && 'status' in at) return at;
    const { query } = call.request;
    const time = (name: string, absent: number): number =>
      query.has(name) ? Date.parse(query.get(name) ?? '') : absent;
    const bounds = [
      time('created_after', -Infinity),
      time('created_before', Infinity),
      time('updated_after', -Infinity),
      time('updated_before', Infinity),
    ] as const;
    if (bounds.some(Number.isNaN)) return { status: 400, body: { error: 'created_after is invalid' } };
    const state = query.get('state') ?? 'all';
    if (!['opened', 'closed', 'all'].includes(state))
      return { status: 400, body: { error: 'state does not have a valid value' } };
    const scope = (query.get('scope') ?? (everywhere ? 'created_by_me' : 'all')).replaceAll('-', '_');
    if (!['created_by_me', 'assigned_to_me', 'all'].includes(scope)) {
      return { status: 400, body: { error: 'scope does not have a valid value' } };
    }
    const author = query.get('author_id');
    const search = query.get('search')?.toLowerCase();
    const places = (query.get('in') ?? 'title,description').split(',');
    const labels = (query.get('labels') ?? '').split(',').filter((label) => label !== '');
    const key = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
    const sign = query.get('sort') === 'asc' ? 1 : -1;
    const found = this.#place.world.issues
      .filter(
        (one) =>
          !one.deleted &&
          this.#place.world.isListed(one) &&
          one.project.issuesEnabled &&
          accessTo(call.token, one.project) !== 'none',
      )
      .filter((one) => at === null || one.project === at.project)
      .filter((one) => state === 'all' || one.state === (state === 'opened' ? 'open' : 'closed'))
      .filter((one) => scope === 'all' || (scope === 'created_by_me' && one.author.id === call.token.user.id))
      .filter((one) => author === null || one.author.id === Number(author))
      .filter((one) => one.createdAt >= bounds[0] && one.createdAt <= bounds[1])
      .filter((one) => one.updatedAt >= bounds[2] && one.updatedAt <= bounds[3])
      .filter((one) => labels.every((label) => one.labels.includes(label)))
      .filter(
        (one) =>
          search === undefined ||
          (places.includes('title') && one.title.toLowerCase().includes(search)) ||
          (places.includes('description') && String(one.body).toLowerCase().includes(search)),
      )
      .toSorted((a, b) => sign * (a[key] - b[key] || a.id - b.id));
    return this.#paged(
      call,
      found.map((issue) => issueBody(issue, this.#place.web)),
    );
  }

  #notes(call: Call): WireReply {
    const at = this.#place.issue(call, false);
    if ('status' in at) return at;
    const { query } = call.request;
    const sign = query.get('sort') === 'asc' ? 1 : -1;
    const filter = query.get('activity_filter');
    const found = at.issue.comments
      .filter((one) => filter !== 'only_comments' || !one.system)
      .toSorted((a, b) => sign * (a.at - b.at || a.id - b.id));
    return this.#paged(
      call,
      found.map((one) => noteBody(at.issue, one, this.#place.web)),
    );
  }

  #paged(call: Call, all: readonly unknown[]): WireReply {
    const path = call.request.path.slice(this.#place.base.length);
    const { items, link, page, perPage, pages, total } = cutPage(
      all,
      call.request,
      20,
      `${this.#place.web}/api/v4${path}`,
    );
    const headers = {
      'x-page': String(page),
      'x-per-page': String(perPage),
      'x-total': String(total),
      'x-total-pages': String(pages),
      'x-next-page': page < pages ? String(page + 1) : '',
      'x-prev-page': page > 1 ? String(page - 1) : '',
      ...(link === null ? {} : { link }),
    };
    return { status: 200, headers, body: items };
  }
}
