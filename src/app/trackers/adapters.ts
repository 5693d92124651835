import type { Line } from '../../adapters/transport/index.ts';
import type { Secret } from '../../base/index.ts';
import { jiraWay, TRACKER_KINDS, type ChannelOf, type TrackerKind } from '../../channels/index.ts';
import type { IssueTracker, SummaryRoom, TextRooms, WriteGuard } from '../../trackers/index.ts';

/** TrackerAdapter is what calls one kind of tracker, and knows how much a text there may hold. */
export interface TrackerAdapter<K extends TrackerKind = TrackerKind> {
  open(channel: ChannelOf<K>, credential: Secret, guard: WriteGuard, line: Line): IssueTracker;
  room(channel: ChannelOf<K>): SummaryRoom;
}

/** Each has a library of its own, which is loaded with it. */
const ADAPTERS: { readonly [K in TrackerKind]: () => Promise<TrackerAdapter<K>> } = {
  async github() {
    const { openGithubTracker: open, githubRoom } = await import('../../adapters/github/index.ts');
    return { open, room: () => githubRoom };
  },
  async gitlab() {
    const { openGitlabTracker: open, gitlabRoom } = await import('../../adapters/gitlab/index.ts');
    return { open, room: () => gitlabRoom };
  },
  async jira() {
    const { openJiraTracker: open, jiraRoom } = await import('../../adapters/jira/index.ts');
    return { open, room: ({ settings }) => jiraRoom(jiraWay(settings).api) };
  },
};

/** loadAdapter loads that of one kind. It is given channels of only that kind. */
export function loadAdapter(kind: TrackerKind): Promise<TrackerAdapter> {
  return ADAPTERS[kind]();
}

/** TrackerAdapters are those of all kinds. */
export type TrackerAdapters = Readonly<Record<TrackerKind, TrackerAdapter>>;

/** loadAdapters loads them. */
export async function loadAdapters(): Promise<TrackerAdapters> {
  const all = await Promise.all(TRACKER_KINDS.map(async (kind) => [kind, await loadAdapter(kind)] as const));
  return Object.fromEntries(all) as unknown as TrackerAdapters;
}

/** textRoomsOf gives what one text of each kind of tracker may hold. */
export function textRoomsOf(adapters: TrackerAdapters): TextRooms {
  return (channel) => adapters[channel.kind].room(channel);
}
