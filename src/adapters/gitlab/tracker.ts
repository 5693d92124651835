import type { Secret } from '../../base/index.ts';
import type { ChannelOf } from '../../channels/index.ts';
import {
  TrackerError,
  type FiledIssue,
  type IssueDraft,
  type IssueRef,
  type IssueState,
  type IssueTracker,
  type WriteGuard,
} from '../../trackers/index.ts';
import { anotherIssue, AnswerError, eachOf, type Line } from '../transport/index.ts';
import { openGitlabApi, type GitlabApi } from './api.ts';
import { markerOf, toDescription, toNote, toTitle } from './compose.ts';
import { whereMoved } from './moved.ts';
import { movedIssue, toKey, toLink, toPlace, toProject, type Place } from './place.ts';
import { Issue, Issues, Note, Notes, OwnAccount } from './schema.ts';
import { testGitlab } from './test-read.ts';

/** Clocks differ, and a list is asked for by the provider's. */
const MARGIN = 5 * 60_000;

/** openGitlabTracker makes the tracker of a GitLab channel for one run. */
export function openGitlabTracker(
  channel: ChannelOf<'gitlab'>,
  credential: Secret,
  guard: WriteGuard,
  line: Line,
): IssueTracker {
  const api = openGitlabApi(line, channel.settings.apiBaseUrl, credential, guard);
  const on: GitlabContext = { api, account: openAccount(api) };
  return {
    closes: true,
    self: async () => ({ id: String(await on.account()) }),

    create: (target, draft) => create(on, target, draft),

    async find(target, marker, since) {
      const project = toProject(target);
      for await (const { issue, found } of ownIssues(on, project, since))
        if (found === marker) return refOf(on, issue, { project, iid: issue.iid });
      return null;
    },

    filed: (target, since) => filed(on, target, since),

    read: (ref) => read(on, ref),

    async commentMarkers(ref, since) {
      const found: string[] = [];
      for await (const body of ownNotes(on, ref, since)) {
        const marker = markerOf(body);
        if (marker !== null) found.push(marker);
      }
      return found;
    },

    async commentTexts(ref) {
      const texts: string[] = [];
      for await (const body of ownNotes(on, ref, MARGIN)) texts.push(body);
      return texts;
    },

    async comment(ref, { body, marker }) {
      const { project, iid } = toPlace(ref.key);
      await api.write(201, Note, async ({ notes }) =>
        notes.create(project, iid, toNote(body, marker), { showExpanded: true }),
      );
    },

    close: (ref) => close(on, ref),

    test: async () => testGitlab(api, channel.settings.defaultProject),
  };
}

/** What the acts of a tracker have in common. */
interface GitlabContext {
  readonly api: GitlabApi;
  /** Whom the token belongs to. */
  account(): Promise<number>;
}

function openAccount(api: GitlabApi): GitlabContext['account'] {
  let own: Promise<number> | null = null;

  return async () => {
    own ??= api.get(OwnAccount, async ({ users }) => users.showCurrentUser()).then(({ id }) => id);
    try {
      return await own;
    } catch (error) {
      own = null; // asked again by the next call
      throw error;
    }
  };
}

function refOf(
  { api }: GitlabContext,
  { id, web_url: url }: { id: number; web_url: string },
  place: Place,
): IssueRef {
  return { key: toKey(place), url: toLink(url, api.transport.base, place), id: String(id) };
}

/** The issues with a marker that this account opened, newest first. */
async function* ownIssues(
  { api, account }: GitlabContext,
  project: ReturnType<typeof toProject>,
  since: number,
) {
  const self = await account();
  const from = since - MARGIN;
  const issues = eachOf([20, 5, 1], async (perPage, page) =>
    api.get(Issues, async ({ issues: all }) =>
      all.all({
        projectId: project,
        scope: 'created_by_me',
        state: 'all',
        createdAfter: new Date(from).toISOString(),
        orderBy: 'created_at',
        sort: 'desc',
        perPage,
        page,
      }),
    ),
  );
  for await (const issue of issues) {
    const found = issue.author?.id === self ? markerOf(issue.description ?? '') : null;
    if (found !== null) yield { issue, found };
  }
}

/** The comments that this account wrote on an issue since then. */
async function* ownNotes({ api, account }: GitlabContext, ref: IssueRef, since: number) {
  const { project, iid } = toPlace(ref.key);
  const self = await account();
  const all = eachOf([50, 5, 1], async (perPage, page) =>
    api.get(Notes, async ({ notes }) =>
      notes.all(project, iid, { sort: 'desc', orderBy: 'created_at', perPage, page }),
    ),
  );
  for await (const { body, author, system, created_at: at } of all) {
    if (Date.parse(at) < since - MARGIN) break;
    if (author?.id === self && system !== true) yield body ?? '';
  }
}

async function create(
  on: GitlabContext,
  target: string,
  { title, body, labels, marker }: IssueDraft,
): Promise<IssueRef> {
  const project = toProject(target);
  const issue = await on.api.write(201, Issue, async ({ issues }) =>
    issues.create(project, toTitle(title), {
      description: toDescription(body, marker),
      // A list keeps a label with a comma whole; the library's type knows only the text form.
      labels: [...labels] as unknown as string,
      showExpanded: true,
    }),
  );
  return refOf(on, issue, { project, iid: issue.iid });
}

async function filed(on: GitlabContext, target: string, since: number): Promise<FiledIssue[]> {
  const project = toProject(target);
  const all: FiledIssue[] = [];
  for await (const { issue, found } of ownIssues(on, project, since))
    all.push({
      ref: refOf(on, issue, { project, iid: issue.iid }),
      marker: found,
      text: `${issue.title}\n${issue.description ?? ''}`,
      openedAt: Date.parse(issue.created_at),
    });
  return all;
}

async function read(on: GitlabContext, ref: IssueRef): Promise<IssueState> {
  const { api } = on;
  const { project, iid } = toPlace(ref.key);
  try {
    const issue = await api.get(Issue, async ({ issues }) => issues.show(iid, { projectId: project }));
    // A release before 1.3.7 kept no number.
    if (/^\d+$/.test(ref.id) && String(issue.id) !== ref.id) throw anotherIssue(ref);
    const moved = issue.moved_to_id ? await whereMoved(api, issue, issue.moved_to_id) : null;
    if (moved === null) return { state: issue.state === 'closed' ? 'closed' : 'open' };
    return {
      state: moved.issue.state === 'closed' ? 'closed' : 'open',
      movedTo: refOf(on, moved.issue, moved.place),
    };
  } catch (error) {
    if (!(error instanceof AnswerError) || error.fault !== 'moved') throw error;
    const place = movedIssue(error.headers['location'], api.transport.base);
    if (place === null) throw error;
    // No redirect is followed: the new place is on this host, and asked for by a call of its own.
    const issue = await api.get(Issue, async ({ issues }) =>
      issues.show(place.iid, { projectId: place.project }),
    );
    return { state: issue.state === 'closed' ? 'closed' : 'open', movedTo: refOf(on, issue, place) };
  }
}

async function close({ api }: GitlabContext, ref: IssueRef): Promise<'closed'> {
  const { project, iid } = toPlace(ref.key);
  const { state, moved_to_id } = await api.write(200, Issue, async ({ issues }) =>
    issues.edit(project, iid, { stateEvent: 'close', showExpanded: true }),
  );
  // What a move leaves behind is closed already; the issue itself is elsewhere, and is read there first.
  if (moved_to_id)
    throw new TrackerError('moved', `${ref.key} was moved while it was being closed`, { happened: 'no' });
  if (state !== 'closed')
    throw new TrackerError('unreadable', `${ref.key} is still open after it was closed`, {
      happened: 'unknown',
    });
  return 'closed';
}
