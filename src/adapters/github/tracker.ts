import type { z } from 'zod';
import type { Secret } from '../../base/index.ts';
import type { ChannelOf } from '../../channels/index.ts';
import {
  TrackerError,
  type EndReason,
  type FiledIssue,
  type IssueDraft,
  type IssueRef,
  type IssueState,
  type IssueTracker,
  type WriteGuard,
} from '../../trackers/index.ts';
import { anotherIssue, AnswerError, eachOf, type Line } from '../transport/index.ts';
import { openGithubApi, type GithubApi } from './api.ts';
import { markerOf, toBody, toTitle } from './compose.ts';
import { movedIssue, placeOfLink, toKey, toLink, toPlace, toRepo, type Place } from './place.ts';
import { Comment, Comments, Issue, Issues, OwnAccount } from './schema.ts';
import { testGithub } from './test-read.ts';

/** Clocks differ, and a list is asked for by the provider's. */
const MARGIN = 5 * 60_000;

/** How GitHub words a reason: only a fix is work that was done. */
const STATE_REASONS = {
  fixed: 'completed',
  triaged: 'not_planned',
  image_retired: 'not_planned',
  quiet: 'not_planned',
  released: 'not_planned',
} as const satisfies Readonly<Record<EndReason, string>>;

/** openGithubTracker makes the tracker of a GitHub or GitHub Enterprise channel for one run. */
export function openGithubTracker(
  channel: ChannelOf<'github'>,
  credential: Secret,
  guard: WriteGuard,
  line: Line,
): IssueTracker {
  const api = openGithubApi(line, channel.settings.apiBaseUrl, credential, guard);
  const on: GithubContext = { api, account: openAccount(api) };
  return {
    closes: true,
    self: async () => {
      const { id } = await on.account();
      return { id };
    },

    create: (target, draft) => create(on, target, draft),

    async find(target, marker, since) {
      const repo = toRepo(target);
      for await (const { issue, found } of ownIssues(on, repo, since))
        if (found === marker) return refOf(on, issue, { ...repo, number: issue.number });
      return null;
    },

    filed: (target, since) => filed(on, target, since),

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
      for await (const body of ownComments(on, ref, MARGIN)) texts.push(body);
      return texts;
    },

    comment: (ref, written) => comment(on, ref, written),

    close: (ref, reason) => close(on, ref, reason),

    test: async () => testGithub(api, channel.settings.defaultRepo),
  };
}

/** What the acts of a tracker have in common. */
interface GithubContext {
  readonly api: GithubApi;
  /** Whom the token belongs to. */
  account(): Promise<z.output<typeof OwnAccount>>;
}

function openAccount(api: GithubApi): GithubContext['account'] {
  let own: Promise<z.output<typeof OwnAccount>> | null = null;

  return async () => {
    own ??= api.get(OwnAccount, async (octokit) => octokit.users.getAuthenticated());
    try {
      return await own;
    } catch (error) {
      own = null; // asked again by the next call
      throw error;
    }
  };
}

function refOf({ api }: GithubContext, issue: z.output<typeof Issue>, place: Place): IssueRef {
  const { html_url: url, id } = issue;
  return { key: toKey(place), url: toLink(url, api.transport.base, place), id };
}

/** The issues with a marker that this account opened, newest first. */
async function* ownIssues({ api, account }: GithubContext, repo: ReturnType<typeof toRepo>, since: number) {
  const { id, login } = await account();
  const from = since - MARGIN;
  const issues = eachOf([30, 5, 1], async (size, page) =>
    api.get(Issues, async (octokit) =>
      octokit.issues.listForRepo({
        ...repo,
        state: 'all',
        creator: login,
        since: new Date(from).toISOString(),
        sort: 'created',
        direction: 'desc',
        per_page: size,
        page,
      }),
    ),
  );
  for await (const issue of issues) {
    if (Date.parse(issue.created_at) < from) break;
    const isOurs = issue.user?.id === id && issue.pull_request === undefined;
    const found = isOurs ? markerOf(issue.body ?? '') : null;
    if (found !== null) yield { issue, found };
  }
}

/** The comments that this account wrote on an issue since then. */
async function* ownComments({ api, account }: GithubContext, ref: IssueRef, since: number) {
  const { number, ...repo } = toPlace(ref.key);
  const { id } = await account();
  const comments = eachOf([100, 10, 1], async (size, page) =>
    api.get(Comments, async (octokit) =>
      octokit.issues.listComments({
        ...repo,
        issue_number: number,
        since: new Date(since - MARGIN).toISOString(),
        per_page: size,
        page,
      }),
    ),
  );
  for await (const { body, user } of comments) if (user?.id === id) yield body ?? '';
}

async function create(
  on: GithubContext,
  target: string,
  { title, body, labels, marker }: IssueDraft,
): Promise<IssueRef> {
  const repo = toRepo(target);
  const issue = await on.api.write(201, Issue, async (octokit) =>
    octokit.issues.create({
      ...repo,
      title: toTitle(title),
      body: toBody(body, marker),
      labels: [...labels],
    }),
  );
  return refOf(on, issue, { ...repo, number: issue.number });
}

async function filed(on: GithubContext, target: string, since: number): Promise<FiledIssue[]> {
  const repo = toRepo(target);
  const all: FiledIssue[] = [];
  for await (const { issue, found } of ownIssues(on, repo, since))
    all.push({
      ref: refOf(on, issue, { ...repo, number: issue.number }),
      marker: found,
      text: `${issue.title}\n${issue.body ?? ''}`,
      openedAt: Date.parse(issue.created_at),
    });
  return all;
}

async function read(on: GithubContext, ref: IssueRef): Promise<IssueState> {
  const { api } = on;
  const { number, ...repo } = toPlace(ref.key);
  try {
    const { id, state } = await api.get(Issue, async (octokit) =>
      octokit.issues.get({ ...repo, issue_number: number }),
    );
    // A release before 1.3.7 kept no number.
    if (/^\d+$/.test(ref.id) && id !== ref.id) throw anotherIssue(ref);
    return { state };
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    // 410 is the answer for a deleted issue, and for a repository whose issues are switched off.
    if (error.fault === 'gone' && !/disabled/i.test(error.said)) return { state: 'closed', gone: true };
    const moved = error.fault === 'moved' ? movedIssue(error.headers['location'], api.transport.base) : null;
    if (moved === null) throw error;
    // No redirect is followed: the new place is on this host, and asked for by a call of its own.
    const issue = await api.get(Issue, async (octokit) => octokit.request(`GET ${moved}`));
    const place = placeOfLink(issue.html_url);
    if (place === null) throw error;
    return { state: issue.state, movedTo: refOf(on, issue, place) };
  }
}

async function comment(
  { api }: GithubContext,
  ref: IssueRef,
  { body, marker }: Parameters<IssueTracker['comment']>[1],
): Promise<void> {
  const { number, ...repo } = toPlace(ref.key);
  await api.write(201, Comment, async (octokit) =>
    octokit.issues.createComment({ ...repo, issue_number: number, body: toBody(body, marker) }),
  );
}

async function close({ api }: GithubContext, ref: IssueRef, reason: EndReason): Promise<'closed'> {
  const { number, ...repo } = toPlace(ref.key);
  const { state } = await api.write(200, Issue, async (octokit) =>
    octokit.issues.update({
      ...repo,
      issue_number: number,
      state: 'closed',
      state_reason: STATE_REASONS[reason],
    }),
  );
  if (state !== 'closed')
    throw new TrackerError('unreadable', `${ref.key} is still open after it was closed`, {
      happened: 'unknown',
    });
  return 'closed';
}
