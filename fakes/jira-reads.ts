import { commentBody, issueBody, transitionsOf } from './jira-bodies.ts';
import type { JiraPlace } from './jira-place.ts';
import { textOf } from './json.ts';
import { parseJql } from './jira-search.ts';
import { accessTo } from './tokens.ts';
import { wholeNumber, type Call, type Route, type WireReply } from './wire.ts';

const READ_QUERY = ['fields', 'expand', 'properties', 'updateHistory', 'fieldsByKeys', 'failFast'];
const OFFERED_QUERY = [
  'expand',
  'transitionId',
  'includeUnavailableTransitions',
  'skipRemoteOnlyCondition',
  'sortByOpsBarAndStatus',
];

/** JiraReads answers the calls that read issues, comments and transitions, and the search with its lag. */
export class JiraReads {
  readonly #place: JiraPlace;

  constructor(place: JiraPlace) {
    this.#place = place;
  }

  /** routes are the endpoints. */
  routes(): Route[] {
    const at = (path: string): RegExp => this.#place.at(path);
    const comment = at('/issue/([^/]+)/comment');
    const listing = ['startAt', 'maxResults', 'orderBy', 'expand'];
    const offered = at('/issue/([^/]+)/transitions');
    return [
      ...this.#searches(),
      {
        act: 'read',
        method: 'GET',
        path: at('/issue/([^/]+)'),
        query: READ_QUERY,
        answer: (call) => this.#read(call),
      },
      {
        act: 'comments',
        method: 'GET',
        path: comment,
        query: listing,
        answer: (call) => this.#comments(call),
      },
      {
        act: 'transitions',
        method: 'GET',
        path: offered,
        query: OFFERED_QUERY,
        answer: (call) => this.#offered(call),
      },
    ];
  }

  /** Cloud has taken `/search` away; Data Center has nothing else. */
  #searches(): Route[] {
    const at = (path: string): RegExp => this.#place.at(path);
    const query = ['jql', 'fields', 'maxResults', 'expand'];
    if (!this.#place.addresses.cloud) {
      const fields = [...query, 'startAt', 'validateQuery'];
      const answer = (call: Call): WireReply => this.#search(call, 'startAt');
      return [
        { act: 'find', method: 'GET', path: at('/search'), query: fields, answer },
        { act: 'find', method: 'POST', path: at('/search'), fields, answer },
      ];
    }
    const fields = [...query, 'nextPageToken', 'properties', 'fieldsByKeys', 'failFast', 'reconcileIssues'];
    const answer = (call: Call): WireReply => this.#search(call, 'nextPageToken');
    const gone = (call: Call): WireReply => {
      call.violation('/search is gone from the cloud; /search/jql took its place');
      const text = 'The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.';
      return { status: 410, body: { errorMessages: [text], errors: {} } };
    };
    return [
      { act: 'find', method: 'GET', path: at('/search/jql'), query: fields, answer },
      { act: 'find', method: 'POST', path: at('/search/jql'), fields, answer },
      { act: 'find', method: 'GET', path: at('/search'), query: [...query, 'startAt'], answer: gone },
      { act: 'find', method: 'POST', path: at('/search'), fields: [...query, 'startAt'], answer: gone },
    ];
  }

  #search(call: Call, paging: 'startAt' | 'nextPageToken'): WireReply {
    const asked = (name: string): unknown =>
      call.request.method === 'POST' ? call.body[name] : (call.request.query.get(name) ?? undefined);
    const jql = asked('jql');
    if (typeof jql !== 'string') return this.#place.refuse(400, ['The JQL query is missing.']);
    const query = parseJql(jql, this.#place.world, call.token.user.id);
    if (typeof query === 'string') {
      call.violation(`JQL: ${query}`);
      return this.#place.refuse(400, [query]);
    }
    const sign = query.newestFirst ? -1 : 1;
    const found = this.#place.world.issues
      .filter((one) => this.#place.world.seenBySearch(one)?.deleted === false && !one.deleted)
      .filter((one) => accessTo(call.token, one.project) !== 'none' && query.matches(one))
      .toSorted((a, b) => sign * (a.createdAt - b.createdAt || a.id - b.id));
    const max = wholeNumber(textOf(asked('maxResults')) || null, 50, 100);
    const start = wholeNumber(textOf(asked(paging)).replace(/^page-/, ''), 0, 1_000_000);
    const list = asked('fields');
    const inText = typeof list === 'string' ? list.split(',') : null;
    const names = Array.isArray(list) ? list.map(String) : inText;
    const wanted = wantedFields(names ?? (this.#place.addresses.cloud ? [] : ['*all']));
    const issues = found
      .slice(start, start + max)
      .map((one) => issueBody(one, this.#place.addresses, wanted));
    const isLast = start + max >= found.length;
    if (paging === 'nextPageToken') {
      return {
        status: 200,
        body: { issues, isLast, ...(isLast ? {} : { nextPageToken: `page-${start + max}` }) },
      };
    }
    return {
      status: 200,
      body: { expand: 'schema,names', startAt: start, maxResults: max, total: found.length, issues },
    };
  }

  #read(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const names = call.request.query.getAll('fields').flatMap((list) => list.split(','));
    const wanted = names.length === 0 || names.includes('*all') ? null : new Set(names);
    return { status: 200, body: issueBody(at.issue, this.#place.addresses, wanted) };
  }

  #comments(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const { query } = call.request;
    const start = wholeNumber(query.get('startAt'), 0, 1_000_000);
    const max = wholeNumber(
      query.get('maxResults'),
      this.#place.addresses.cloud ? 100 : 1000,
      this.#place.addresses.cloud ? 100 : 1000,
    );
    const sign = query.get('orderBy') === '-created' ? -1 : 1;
    const sorted = at.issue.comments.toSorted((a, b) => sign * (a.at - b.at || a.id - b.id));
    const comments = sorted
      .slice(start, start + max)
      .map((one) => commentBody(at.issue, one, this.#place.addresses));
    return { status: 200, body: { startAt: start, maxResults: max, total: sorted.length, comments } };
  }

  #offered(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const fields = (call.request.query.get('expand') ?? '').includes('transitions.fields');
    const transitions = at.access === 'write' ? transitionsOf(at.issue, this.#place.addresses, fields) : [];
    return { status: 200, body: { expand: 'transitions', transitions } };
  }
}

/** The fields that are asked for; null for all. */
function wantedFields(names: readonly string[]): ReadonlySet<string> | null {
  return names.includes('*all') ? null : new Set(names);
}
