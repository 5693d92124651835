import { z } from 'zod';
import { DAY_MS, type Secret } from '../../base/index.ts';
import type { ChannelOf } from '../../channels/index.ts';
import {
  MARKER,
  type FiledIssue,
  type IssueDraft,
  type IssueRef,
  type IssueState,
  type IssueTracker,
  type WriteGuard,
} from '../../trackers/index.ts';
import { anotherIssue, eachOf, unreadable, type Line } from '../transport/index.ts';
import { openJiraApi, type JiraApi } from './api.ts';
import { markerOf, textIn, toSummary, toText } from './compose.ts';
import { hostOf, isGateway, toIssueId, toLabel, toProjectKey, toSite } from './place.ts';
import { Comment, Comments, Created, Found, FoundTexts, Issue, OwnAccount, ServerInfo } from './schema.ts';
import { testJira } from './test-read.ts';

/** Clocks differ, and comments carry the provider's time. */
const MARGIN = 5 * 60_000;
/** Issues of a page, and pages at most. */
const PAGE = 50;
const MAX_PAGES = 500;

/** What is asked for of an issue: nothing that a person wrote. */
const STATE = ['status'];

/** openJiraTracker makes the tracker of a Jira channel for one run. */
export function openJiraTracker(
  channel: ChannelOf<'jira'>,
  credential: Secret,
  guard: WriteGuard,
  line: Line,
): IssueTracker {
  const { settings } = channel;
  const { doneTransitionId } = settings;
  const api = openJiraApi(line, settings, credential, guard);
  const on = openContext(api);
  return {
    closes: doneTransitionId !== null,
    self: async () => ({ id: await on.account() }),

    create: (target, draft) => create(on, settings.issueType, target, draft),

    find: (target, marker) => find(on, target, marker),

    filed: (target, since) => filed(on, target, since, line.clock.now()),

    read: (ref) => read(on, ref),

    async commentMarkers(ref, since) {
      const found: string[] = [];
      for await (const body of ownComments(on, ref, since)) {
        const marker = markerOf(body);
        if (marker !== null) found.push(marker);
      }
      return found;
    },

    async commentTexts(ref) {
      const texts: string[] = [];
      for await (const body of ownComments(on, ref, MARGIN)) texts.push(textIn(body));
      return texts;
    },

    comment: (ref, written) => comment(on, ref, written),

    async close(ref) {
      if (doneTransitionId === null) return 'left_open';
      const id = toIssueId(ref);
      const transition = { id: doneTransitionId };
      await api.write(204, z.undefined(), {
        cloud: async (jira) => jira.issues.doTransition({ issueIdOrKey: id, transition }),
        dataCenter: { method: 'POST', url: `/rest/api/2/issue/${id}/transitions`, body: { transition } },
      });
      return 'closed';
    },

    test: async () => testJira(api, settings, on.cloud),
  };
}

/** What the acts of a tracker have in common. */
interface JiraContext {
  readonly api: JiraApi;
  readonly cloud: boolean;
  /** Whom the token belongs to. */
  account(): Promise<string>;
  /** Where people read issues: "under the gateway form, site links are built from the site address". */
  site(): Promise<string>;
}

function openContext(api: JiraApi): JiraContext {
  const cloud = api.way.api === 3;
  return {
    api,
    cloud,
    account: once(async () =>
      api.get(OwnAccount, {
        cloud: async (jira) => jira.myself.getCurrentUser(),
        dataCenter: { url: '/rest/api/2/myself' },
      }),
    ),
    site: once(async () => {
      const { base } = api.transport;
      if (!cloud || !isGateway(base)) return base.href.replace(/\/$/, '');
      const { baseUrl } = await api.get(ServerInfo, {
        cloud: async (jira) => jira.serverInfo.getServerInfo(),
        dataCenter: { url: '/rest/api/2/serverInfo' },
      });
      const found = toSite(baseUrl);
      if (found === null) throw unreadable({ host: base.host, write: false }, 'at baseUrl');
      return found;
    }),
  };
}

/** Asks once per run; what failed is asked again by the next call. */
function once(ask: () => Promise<string>): () => Promise<string> {
  let kept: Promise<string> | null = null;
  return async () => {
    kept ??= ask();
    try {
      return await kept;
    } catch (error) {
      kept = null;
      throw error;
    }
  };
}

async function refOf({ site }: JiraContext, { id, key }: { id: string; key: string }): Promise<IssueRef> {
  return { key, url: `${await site()}/browse/${key}`, id };
}

/** The comments that this account wrote on an issue since then, newest first. */
async function* ownComments({ api, account }: JiraContext, ref: IssueRef, since: number) {
  const id = toIssueId(ref);
  const self = await account();
  const all = eachOf([50, 5, 1], async (maxResults, page) => {
    const asked = { startAt: (page - 1) * maxResults, maxResults, orderBy: '-created' } as const;
    const { comments } = await api.get(Comments, {
      cloud: async (jira) => jira.issueComments.getComments({ issueIdOrKey: id, ...asked }),
      dataCenter: { url: `/rest/api/2/issue/${id}/comment`, searchParams: asked },
    });
    return comments;
  });
  for await (const { author, body, created } of all) {
    if (created < since - MARGIN) break;
    if (author === self) yield body;
  }
}

async function create(
  on: JiraContext,
  issueType: string,
  target: string,
  { title, body, labels, marker }: IssueDraft,
): Promise<IssueRef> {
  const { api } = on;
  const project = toProjectKey(target);
  await on.site(); // asked before the write, so that nothing can fail behind it
  const common = {
    project: { key: project },
    issuetype: { name: issueType },
    summary: toSummary(title),
    labels: [...new Set([...labels.map(toLabel).filter((label) => label !== ''), marker])],
  };
  const fields = { ...common, description: toText(api.way.api, body, null) };
  const issue = await api.write(201, Created, {
    cloud: async (jira) => jira.issues.createIssue({ fields } as never),
    dataCenter: {
      method: 'POST',
      url: '/rest/api/2/issue',
      body: { fields },
    },
  });
  return refOf(on, issue);
}

async function find(on: JiraContext, target: string, marker: string): Promise<IssueRef | null> {
  const jql = `project = "${toProjectKey(target)}" AND labels = "${marker.replaceAll(/[^a-z0-9-]/g, '')}"`;
  const self = await on.account();
  const asked = { jql, maxResults: 50, fields: ['creator', 'labels'] };
  const { issues } = await on.api.get(Found, {
    cloud: async (jira) => jira.issueSearch.searchAndReconsileIssuesUsingJql(asked),
    dataCenter: { url: '/rest/api/2/search', searchParams: asked },
  });
  const own = issues.find(({ fields }) => fields.creator === self && (fields.labels ?? []).includes(marker));
  return own === undefined ? null : refOf(on, own);
}

async function filed(on: JiraContext, target: string, since: number, now: number): Promise<FiledIssue[]> {
  const { api, cloud } = on;
  const days = Math.max(1, Math.ceil((now - since) / DAY_MS) + 1);
  const jql = `project = "${toProjectKey(target)}" AND creator = currentUser() AND created >= "-${days}d" ORDER BY created DESC`;
  const self = await on.account();
  const all: FiledIssue[] = [];
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = {
      jql,
      maxResults: PAGE,
      fields: ['creator', 'labels', 'summary', 'description', 'created'],
    };
    const { issues, nextPageToken, total } = await api.get(FoundTexts, {
      cloud: async (jira) =>
        jira.issueSearch.searchAndReconsileIssuesUsingJql({
          ...asked,
          ...(token !== undefined && { nextPageToken: token }),
        }),
      dataCenter: { url: '/rest/api/2/search', searchParams: { ...asked, startAt: page * PAGE } },
    });
    for (const { fields, ...issue } of issues) {
      const marker = (fields.labels ?? []).find((label) => label.search(MARKER) === 0);
      if (fields.creator !== self || marker === undefined) continue;
      const text = `${fields.summary ?? ''}\n${textIn(fields.description)}`;
      all.push({ ref: await refOf(on, issue), marker, text, openedAt: fields.created });
    }
    token = nextPageToken;
    if (cloud ? token === undefined : (page + 1) * PAGE >= (total ?? 0)) return all;
  }
  throw unreadable({ host: api.transport.base.host, write: false }, 'a search that does not end');
}

async function read(on: JiraContext, ref: IssueRef): Promise<IssueState> {
  const id = toIssueId(ref);
  const issue = await on.api.get(Issue, {
    cloud: async (jira) => jira.issues.getIssue({ issueIdOrKey: id, fields: STATE }),
    dataCenter: { url: `/rest/api/2/issue/${id}`, searchParams: { fields: STATE } },
  });
  const state = issue.fields.status.statusCategory.key === 'done' ? 'closed' : 'open';
  // On another site the number, or the key, is some other issue's; that both match is not a coincidence.
  if (issue.key === ref.key && issue.id === ref.id) return { state };
  if (ref.url !== '' && hostOf(ref.url) !== hostOf(await on.site())) throw anotherIssue(ref);
  return issue.key === ref.key ? { state } : { state, movedTo: await refOf(on, issue) };
}

async function comment(
  { api }: JiraContext,
  ref: IssueRef,
  { body, marker }: Parameters<IssueTracker['comment']>[1],
): Promise<void> {
  const id = toIssueId(ref);
  const text = toText(api.way.api, body, marker);
  await api.write(201, Comment, {
    cloud: async (jira) => jira.issueComments.addComment({ issueIdOrKey: id, body: text } as never),
    dataCenter: {
      method: 'POST',
      url: `/rest/api/2/issue/${id}/comment`,
      body: { body: text },
    },
  });
}
