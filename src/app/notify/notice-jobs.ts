import { DAY_MS, formatTime, isIpoError } from '../../base/index.ts';
import type { Job } from '../running/jobs.ts';
import type { RetentionClock } from '../running/retention-time.service.ts';
import type { Notifications } from './notifications.ts';

/** Feed is how a catalogue that is fetched stands; times are UTC milliseconds, null for never. */
export interface Feed {
  readonly fetchedAt: number | null;
  readonly checkedAt: number | null;
  readonly lastError: string | null;
}

/** NoticeParts are what the jobs of the notifications act through. */
export interface NoticeParts {
  readonly notifications: Pick<Notifications, 'send' | 'prune' | 'tell' | 'tellTriageRanOut'>;
  readonly retention: Pick<RetentionClock, 'now'>;
  /** The catalogues that a source is set for. */
  readonly feeds: () => Promise<Readonly<Record<string, Feed>>>;
  /** Since when a catalogue is wanted, in UTC milliseconds: now, if it was not wanted before. */
  readonly wantedSince: (title: string, now: number) => Promise<number>;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** noticeJobs send what waits for the channels, drop what is old, and look for what nobody else tells. */
export function noticeJobs(parts: NoticeParts): readonly Job[] {
  const { notifications, retention } = parts;
  return [
    {
      name: 'notifications',
      every: 5 * SECOND,
      leaderOnly: true,
      atStart: true,
      run: (signal) => notifications.send(signal),
    },
    {
      name: 'notification-retention',
      every: 60 * MINUTE,
      leaderOnly: true,
      run: async () => notifications.prune(await retention.now()),
    },
    {
      name: 'stale-catalogues',
      every: 5 * MINUTE,
      leaderOnly: true,
      run: async () => tellStale(parts, await retention.now()),
    },
    {
      name: 'expired-triage',
      every: 5 * MINUTE,
      leaderOnly: true,
      atStart: true,
      run: () => notifications.tellTriageRanOut(),
    },
  ];
}

/** Each outage is told once: by when the catalogue was last fetched or seen to have nothing new, or since when it is wanted in vain. */
async function tellStale(parts: NoticeParts, now: number): Promise<void> {
  for (const [title, { fetchedAt, checkedAt, lastError }] of Object.entries(await parts.feeds())) {
    const known = Math.max(fetchedAt ?? 0, checkedAt ?? 0);
    const asOf = known === 0 ? await parts.wantedSince(title, now) : known;
    if (now - asOf <= DAY_MS) continue;
    await parts.notifications.tell({
      event: 'catalogue_stale',
      subject: title,
      throttleKey: `catalogue_stale ${title} ${asOf}`,
      payload: {
        title,
        as_of: known === 0 ? null : formatTime(asOf),
        fault: lastError ?? 'it was not fetched',
      },
    });
  }
}

/** tellingBroken runs what signs the ledger, and tells once of each way in which the ledger does not match its proof. */
export async function tellingBroken(
  { tell }: Pick<Notifications, 'tell'>,
  sign: () => Promise<void>,
): Promise<void> {
  try {
    await sign();
  } catch (error) {
    if (isIpoError(error) && error.code === 'integrity')
      await tell({
        event: 'ledger_broken',
        subject: 'ledger',
        throttleKey: `ledger_broken ${error.message}`,
        payload: { fault: error.message },
      });
    throw error;
  }
}
