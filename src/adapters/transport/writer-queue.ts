import { createHash } from 'node:crypto';
import type { Secret } from '../../base/index.ts';
import { TrackerError, type TrackerClock } from '../../trackers/index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * WRITE_LIMITS hold for every provider, and lie under the strictest of them (GitHub: one at a time, a second apart, 80 a minute and
 * 500 an hour of what creates content).
 */
const WRITE_LIMITS = {
  apartMs: SECOND,
  notifyingApartMs: 3 * SECOND,
  perMinute: 60,
  perHour: 400,
} as const;

/** QueueOptions say how time passes; tests and the demo bring their own. Nobody sets the clock that pace is kept by. */
export interface QueueOptions {
  readonly clock: Pick<TrackerClock, 'monotonic'>;
  /** Resolves after this many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds that a call waits for its turn before it is refused with `quietMs`; 30,000 unless said. */
  readonly maxWaitMs?: number;
}

/** WriterQueue is the pace of one account at one host: writes go one at a time, and nothing goes while the provider asked for quiet. */
export interface WriterQueue {
  /** Runs a write when its turn comes. Throws TrackerError `rate_limited` (`happened: 'no'`) when that is too far off. */
  write<T>(act: () => Promise<T>, options: { readonly notifies: boolean }): Promise<T>;
  /** Runs a read, once the provider no longer asks for quiet. Throws as `write`. */
  read<T>(act: () => Promise<T>): Promise<T>;
  /** Keeps quiet for this many milliseconds from now, at least. */
  hold(ms: number): void;
}

/** WriterQueues hold the queues of a process: channels that share a host and a credential share one. */
export interface WriterQueues {
  of(host: string, credential: Secret): WriterQueue;
}

/** openWriterQueues makes the queues of a process; there is one such object in it. */
export function openWriterQueues(options: QueueOptions): WriterQueues {
  const queues = new Map<string, WriterQueue>();
  return {
    of(host, credential) {
      // The credential itself is not a key, so that it does not stay in memory for longer than its channel.
      const key = `${host} ${createHash('sha256').update(credential.reveal()).digest('base64')}`;
      const queue = queues.get(key) ?? openQueue(host, options);
      queues.set(key, queue);
      return queue;
    },
  };
}

function openQueue(host: string, { clock, wait, maxWaitMs = 30 * SECOND }: QueueOptions): WriterQueue {
  let tail: Promise<void> = Promise.resolve();
  /** When writes ended, oldest first, over the last hour. */
  let writes: number[] = [];
  let lastNotifying = Number.NEGATIVE_INFINITY;
  let quietUntil = Number.NEGATIVE_INFINITY;

  function turnOf(notifies: boolean): number {
    const nth = (count: number, span: number): number => {
      const at = writes.at(-count);
      return at === undefined ? Number.NEGATIVE_INFINITY : at + span;
    };
    return Math.max(
      quietUntil,
      nth(1, WRITE_LIMITS.apartMs),
      nth(WRITE_LIMITS.perMinute, MINUTE),
      nth(WRITE_LIMITS.perHour, HOUR),
      notifies ? lastNotifying + WRITE_LIMITS.notifyingApartMs : Number.NEGATIVE_INFINITY,
    );
  }

  async function untilTurn(turn: () => number): Promise<void> {
    for (;;) {
      const now = clock.monotonic();
      writes = writes.filter((at) => at > now - HOUR);
      const left = turn() - now;
      if (left <= 0) return;
      if (left > maxWaitMs) {
        throw new TrackerError(
          'rate_limited',
          `${host} takes nothing more for now; the next call can be made in ${Math.ceil(left / MINUTE)} min`,
          {
            happened: 'no',
            quietMs: left,
          },
        );
      }
      await wait(Math.ceil(left));
    }
  }

  return {
    async write(act, { notifies }) {
      const before = tail;
      const { promise, resolve } = Promise.withResolvers<void>();
      tail = promise;
      await before;
      try {
        await untilTurn(() => turnOf(notifies));
        try {
          return await act();
        } finally {
          const now = clock.monotonic();
          writes.push(now);
          if (notifies) lastNotifying = now;
        }
      } finally {
        resolve();
      }
    },
    async read(act) {
      await untilTurn(() => quietUntil);
      return act();
    },
    hold(ms) {
      quietUntil = Math.max(quietUntil, clock.monotonic() + ms);
    },
  };
}
