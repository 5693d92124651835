import { z } from 'zod';
import { DAY_MS, type Secret } from '../../base/index.ts';
import type { ChannelOf } from '../../channels/index.ts';
import {
  MARKER,
  type FiledIssue,
  type IssueRef,
  type IssueTracker,
  type WriteGuard,
} from '../../trackers/index.ts';
import { anotherIssue, eachOf, unreadable, type Line } from '../transport/index.ts';
import { openJiraApi } from './api.ts';
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
  const { base } = api.transport;
  const cloud = api.way.api === 3;
  const once = { self: null as Promise<string> | null, site: null as Promise<string> | null };

  /** Asks once per run; what failed is asked again by the next call. */
  async function kept(name: 'self' | 'site', ask: () => Promise<string>): Promise<string> {
    once[name] ??= ask();
    try {
      return await once[name];
    } catch (error) {
      once[name] = null;
      throw error;
    }
  }

  const account = async (): Promise<string> =>
    kept('self', async () =>
      api.get(OwnAccount, {
        cloud: async (jira) => jira.myself.getCurrentUser(),
        dataCenter: { url: '/rest/api/2/myself' },
      }),
    );

  /** Where people read issues: "under the gateway form, site links are built from the site address". */
  const site = async (): Promise<string> =>
    kept('site', async () => {
      if (!cloud || !isGateway(base)) return base.href.replace(/\/$/, '');
      const { baseUrl } = await api.get(ServerInfo, {
        cloud: async (jira) => jira.serverInfo.getServerInfo(),
        dataCenter: { url: '/rest/api/2/serverInfo' },
      });
      const found = toSite(baseUrl);
      if (found === null) throw unreadable({ host: base.host, write: false }, 'at baseUrl');
      return found;
    });

  async function refOf({ id, key }: { id: string; key: string }): Promise<IssueRef> {
    return { key, url: `${await site()}/browse/${key}`, id };
  }

  /** The comments that this account wrote on an issue since then, newest first. */
  async function* ownComments(ref: IssueRef, since: number) {
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

  return {
    closes: doneTransitionId !== null,
    self: async () => ({ id: await account() }),

    async create(target, { title, body, labels, marker }) {
      const project = toProjectKey(target);
      await site(); // asked before the write, so that nothing can fail behind it
      const common = {
        project: { key: project },
        issuetype: { name: settings.issueType },
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
      return refOf(issue);
    },

    async find(target, marker, _since) {
      const jql = `project = "${toProjectKey(target)}" AND labels = "${marker.replaceAll(/[^a-z0-9-]/g, '')}"`;
      const self = await account();
      const asked = { jql, maxResults: 50, fields: ['creator', 'labels'] };
      const { issues } = await api.get(Found, {
        cloud: async (jira) => jira.issueSearch.searchAndReconsileIssuesUsingJql(asked),
        dataCenter: { url: '/rest/api/2/search', searchParams: asked },
      });
      const own = issues.find(
        ({ fields }) => fields.creator === self && (fields.labels ?? []).includes(marker),
      );
      return own === undefined ? null : refOf(own);
    },

    async filed(target, since) {
      const days = Math.max(1, Math.ceil((line.clock.now() - since) / DAY_MS) + 1);
      const jql = `project = "${toProjectKey(target)}" AND creator = currentUser() AND created >= "-${days}d" ORDER BY created DESC`;
      const self = await account();
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
          all.push({ ref: await refOf(issue), marker, text, openedAt: fields.created });
        }
        token = nextPageToken;
        if (cloud ? token === undefined : (page + 1) * PAGE >= (total ?? 0)) return all;
      }
      throw unreadable({ host: base.host, write: false }, 'a search that does not end');
    },

    async read(ref) {
      const id = toIssueId(ref);
      const issue = await api.get(Issue, {
        cloud: async (jira) => jira.issues.getIssue({ issueIdOrKey: id, fields: STATE }),
        dataCenter: { url: `/rest/api/2/issue/${id}`, searchParams: { fields: STATE } },
      });
      const state = issue.fields.status.statusCategory.key === 'done' ? 'closed' : 'open';
      // On another site the number, or the key, is some other issue's; that both match is not a coincidence.
      if (issue.key === ref.key && issue.id === ref.id) return { state };
      if (ref.url !== '' && hostOf(ref.url) !== hostOf(await site())) throw anotherIssue(ref);
      return issue.key === ref.key ? { state } : { state, movedTo: await refOf(issue) };
    },

    async commentMarkers(ref, since) {
      const found: string[] = [];
      for await (const body of ownComments(ref, since)) {
        const marker = markerOf(body);
        if (marker !== null) found.push(marker);
      }
      return found;
    },

    async commentTexts(ref) {
      const texts: string[] = [];
      for await (const body of ownComments(ref, MARGIN)) texts.push(textIn(body));
      return texts;
    },

    async comment(ref, { body, marker }) {
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
    },

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

    test: async () => testJira(api, settings, cloud),
  };
}
