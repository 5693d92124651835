import { formatMinute } from '../base/index.ts';
import { CANNOT_READ, isTracker, type CredentialFault, type TrackerChannel } from '../channels/index.ts';
import type { Fence } from './filing-ports.ts';
import type { TrackerParts } from './parts.ts';
import type { IssueTracker } from './ports.ts';
import { concernsChannel, concernsHost } from './concerns.ts';
import { isStopped, TrackerError } from './tracker-error.ts';
import { isQuiet, quietUntil } from './waiting.ts';

/** Unusable says why a channel cannot be called in this run. */
export type Unusable = 'credential' | 'quiet' | 'faulty' | 'paused';

/**
 * Errors of single issues after which a part of a run skips a channel, since what fails for all of them must not be asked for each: three
 * writes, or sixty reads, which cost a provider less.
 */
const PATIENCE = 60;
const COST = { read: 1, write: 20 } as const;

/** A write is sent within this many milliseconds of being noted, or not at all: a process that looks for it a minute later must find it. */
const SEND_WITHIN = 35_000;

const PAUSED =
  'the channel is paused since the service was restored from a backup; ipo channel resume lets it go on';

const NO_CREDENTIAL: Readonly<Record<CredentialFault, string>> = {
  missing: 'no token is stored for the channel; enter it',
  unreadable: CANNOT_READ,
};

/**
 * ChannelRun holds the trackers of one run of filing or sweep. A channel that cannot be called, or fails in a way that every other call
 * would meet too, is skipped until the next run; what went wrong is noted on it.
 */
export class ChannelRun {
  readonly fence: Fence;
  readonly #parts: TrackerParts;
  readonly #signal: AbortSignal;
  readonly #trackers = new Map<string, IssueTracker | Unusable>();
  readonly #outcomes = new Map<string, { readonly channel: TrackerChannel; failed: boolean }>();
  /** What faults of single issues have cost in this part of the run, by channel. */
  readonly #spent = new Map<string, number>();
  readonly #whyNot = new Map<string, string>();
  #channels: readonly TrackerChannel[] | null = null;
  #sendUntil = Infinity;

  constructor(parts: TrackerParts, fence: Fence, signal: AbortSignal) {
    this.#parts = parts;
    this.fence = fence;
    this.#signal = signal;
  }

  /** Whether nothing may be begun any more: another process leads, or this one ends. */
  get over(): boolean {
    return this.#signal.aborted || !this.#parts.leader.isLeader();
  }

  /** Tracker channels in order of creation. */
  async channels(): Promise<readonly TrackerChannel[]> {
    if (this.#channels === null) {
      const { items } = await this.#parts.channels.list({ limit: null, offset: 0 });
      this.#channels = items.filter(isTracker).toSorted((a, b) => a.place - b.place);
    }
    return this.#channels;
  }

  async channel(id: string): Promise<TrackerChannel | null> {
    return (await this.channels()).find((channel) => channel.id === id) ?? null;
  }

  /** Reads the channels again when they are asked for next. */
  forgetChannels(): void {
    this.#channels = null;
    this.#trackers.clear();
  }

  /** Begins another part of the run, in which every channel may meet faults of single issues again. */
  nextPart(): void {
    this.#spent.clear();
  }

  /** Whether this part of the run skips a channel for errors of single issues. */
  get leftAlone(): boolean {
    return [...this.#spent.values()].some((cost) => cost >= PATIENCE);
  }

  /**
   * Gives what makes a write that is noted from now on: it is sent soon, or throws TrackerError `stopped` while the run is not `over`. A
   * process that waits for its turn for long may have lost the lead to another, which looks for the write and repeats it.
   */
  soon(): <T>(write: () => Promise<T>) => Promise<T> {
    const until = this.#parts.clock.monotonic() + SEND_WITHIN;
    return async (write) => {
      this.#sendUntil = until;
      try {
        return await write();
      } finally {
        this.#sendUntil = Infinity;
      }
    };
  }

  #maySend(): boolean {
    return !this.over && this.#parts.clock.monotonic() <= this.#sendUntil;
  }

  /** The tracker of a channel, or why there is none in this part of the run. */
  async tracker(channel: TrackerChannel): Promise<IssueTracker | Unusable> {
    if ((this.#spent.get(channel.id) ?? 0) >= PATIENCE) return 'faulty';
    const known = this.#trackers.get(channel.id);
    if (known !== undefined) return known;
    if (channel.paused) {
      this.#whyNot.set(channel.id, PAUSED);
      return 'paused';
    }
    const made = await this.#open(channel);
    this.#trackers.set(channel.id, made);
    return made;
  }

  /** The tracker of a channel although it is paused, or why there is none. */
  open(channel: TrackerChannel): Promise<IssueTracker | Unusable> {
    return this.#open(channel);
  }

  /** Why a channel cannot be called now, in a sentence; null where it can, or only the log of its calls says so. */
  whyNot({ id }: TrackerChannel): string | null {
    return this.#whyNot.get(id) ?? null;
  }

  async #open(channel: TrackerChannel): Promise<IssueTracker | Unusable> {
    const { credentials, factory, clock, steady, breaker, filing, log } = this.#parts;
    if (channel.notBefore !== null && isQuiet(channel.notBefore, clock.now())) {
      this.#whyNot.set(channel.id, leftAlone(channel.notBefore));
      return 'quiet';
    }
    const paused = [hostOf(channel), channel.id].find((name) => !breaker.allows(name, steady.now()));
    if (paused !== undefined) {
      // The calls that failed may have been another channel's of the same host.
      this.#whyNot.set(channel.id, channel.lastError ?? pausedFor(paused === channel.id ? null : paused));
      return 'faulty';
    }
    const credential = await credentials.open(channel);
    if (typeof credential !== 'string') return factory.open(channel, credential, () => this.#maySend());
    const error = NO_CREDENTIAL[credential];
    this.#whyNot.set(channel.id, error);
    if (channel.lastError !== error)
      log.warn('tracker channel has no credential to call with', { channel: channel.name, reason: error });
    await filing.noteChannel(channel.id, { error }, clock.now(), this.fence);
    return 'credential';
  }

  /**
   * Notes a call that failed. Whatever is not a TrackerError is a defect, of which nothing is known: it is logged, and counts as an unknown
   * outcome. Throws TrackerError `stopped` on, since nothing may be written any more.
   */
  async failed(channel: TrackerChannel, call: keyof typeof COST, thrown: unknown): Promise<TrackerError> {
    const { clock, steady, breaker, filing, log } = this.#parts;
    if (isStopped(thrown)) throw thrown;
    const error = toTrackerError(thrown);
    const keys = { channel: channel.name, kind: channel.kind, fault: error.fault, reason: error.message };
    if (thrown instanceof TrackerError) log.warn('a call to a tracker failed', keys);
    else log.error('a call to a tracker failed unexpectedly', { ...keys, error: thrown });
    this.#outcomes.set(channel.id, { channel, failed: true });
    if (concernsChannel(error)) {
      this.#whyNot.set(channel.id, error.message);
      this.#trackers.set(channel.id, 'faulty');
      breaker.failed(concernsHost(error) ? hostOf(channel) : channel.id, steady.now());
    } else this.#spent.set(channel.id, (this.#spent.get(channel.id) ?? 0) + COST[call]);
    const asked = error.fault === 'rate_limited' || error.quietMs !== null;
    const quiet: { readonly notBefore?: number } = asked
      ? { notBefore: quietUntil(clock.now(), error.quietMs) }
      : {};
    if (asked) this.#trackers.set(channel.id, 'quiet');
    if (quiet.notBefore !== undefined) this.#whyNot.set(channel.id, leftAlone(quiet.notBefore));
    await filing.noteChannel(channel.id, { ...quiet, error: error.message }, clock.now(), this.fence);
    return error;
  }

  /** Notes a call that went well. */
  worked(channel: TrackerChannel): void {
    const { breaker } = this.#parts;
    breaker.succeeded(hostOf(channel));
    breaker.succeeded(channel.id);
    if (!this.#outcomes.has(channel.id)) this.#outcomes.set(channel.id, { channel, failed: false });
  }

  /** Ends the run: a channel that only worked has no error any more. */
  async end(): Promise<void> {
    for (const { channel, failed } of this.#outcomes.values())
      if (!failed && (channel.lastError !== null || channel.notBefore !== null))
        await this.#parts.filing.noteChannel(
          channel.id,
          { notBefore: null, error: null },
          this.#parts.clock.now(),
          this.fence,
        );
  }
}

function leftAlone(until: number): string {
  return `the tracker asked to be called less often; nothing is sent until ${formatMinute(until)}`;
}

function pausedFor(host: string | null): string {
  return `calls ${host === null ? 'of the channel' : `to ${host}`} are paused after several errors in a row; the next try is within half an hour`;
}

function hostOf({ settings }: TrackerChannel): string {
  return new URL(settings.apiBaseUrl).host;
}

function toTrackerError(thrown: unknown): TrackerError {
  if (thrown instanceof TrackerError) return thrown;
  return new TrackerError(
    'unreadable',
    'the call failed in a way that the service does not know; see its log',
    {
      happened: 'unknown',
      cause: thrown,
    },
  );
}
