import type { Count, Log } from '../base/index.ts';
import type { ChannelStore, Credentials } from '../channels/index.ts';
import type { Breaker } from './breaker.ts';
import type { ContinuationStore } from './continuation-ports.ts';
import type { FilingStore } from './filing-ports.ts';
import type { Markers } from './marker.ts';
import type { IssueWriter, TrackerClock, TrackerFactory } from './ports.ts';
import type { Leader } from '../leadership/index.ts';
import type { SteadyClock } from './steady-clock.service.ts';
import type { RunningImages, SweepStore } from './sweep-ports.ts';

/** TrackerParts are what filing and sweep work with; both share the breaker and the steady clock. */
export interface TrackerParts {
  readonly filing: FilingStore;
  readonly sweeps: SweepStore;
  readonly continuations: ContinuationStore;
  readonly running: RunningImages;
  readonly channels: Pick<ChannelStore, 'list'>;
  readonly credentials: Credentials;
  readonly factory: TrackerFactory;
  readonly writer: IssueWriter;
  readonly markers: Markers;
  readonly leader: Leader;
  readonly clock: TrackerClock;
  readonly steady: SteadyClock;
  readonly breaker: Breaker;
  /** A random name that no other act was given. */
  newId(): string;
  readonly log: Log;
  readonly count: Count;
}
