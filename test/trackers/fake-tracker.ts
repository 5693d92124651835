import {
  TrackerError,
  type EndReason,
  type IssueDraft,
  type IssueRef,
  type IssueState,
  type IssueTracker,
  type WriteGuard,
} from '../../src/trackers/index.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** FAULTS are the ten faults of the matrix. */
export const FAULTS = [
  'refused',
  'dns',
  'tls',
  'timeout',
  'reset',
  'server',
  'rate_limited',
  'secondary',
  'unreadable',
  'redirect',
] as const;
export type Fault = (typeof FAULTS)[number];

export const FLAVOURS = ['github', 'gitlab', 'jira-cloud', 'jira-datacenter'] as const;
export type Flavour = (typeof FLAVOURS)[number];

export type Operation =
  | 'create'
  | 'comment'
  | 'close'
  | 'find'
  | 'filed'
  | 'read'
  | 'commentMarkers'
  | 'commentTexts';

/** FakeIssue is an issue as the tracker has it. */
export interface FakeIssue {
  readonly ref: IssueRef;
  readonly marker: string;
  readonly author: string;
  readonly title: string;
  /** JSON of its blocks. */
  readonly text: string;
  /** Real time. */
  readonly openedAt: number;
  state: 'open' | 'closed';
  reason: EndReason | null;
  gone: boolean;
  movedTo: IssueRef | null;
  readonly comments: {
    readonly marker: string;
    readonly author: string;
    readonly text: string;
    /** Real time. */
    readonly at: number;
  }[];
}

interface Flight {
  readonly lands: number;
  readonly effect: () => void;
}

const OWN = 'bot';
const UNKNOWN: ReadonlySet<Fault> = new Set(['timeout', 'reset', 'server', 'unreadable']);

/** FakeTracker is one provider in this process: what it holds, and what goes wrong with calls to it. */
export class FakeTracker {
  readonly flavour: Flavour;
  readonly issues: FakeIssue[] = [];
  readonly calls: Operation[] = [];
  readonly #clock: VirtualClock;
  readonly #flying: Flight[] = [];
  #number = 0;
  /** Real time at which a call lands that was under way. */
  #landsAt: number | null = null;
  /** How long lists and the search do not show a new issue. */
  lag = 0;
  /** How long the list of an issue's comments does not show a new one. */
  commentLag = 0;
  /** Whether Jira has a transition to close with. */
  closes = true;
  /** Milliseconds that a call takes. */
  takes = 0;
  /** What goes wrong with a call; asked before each. */
  fault: (operation: Operation) => Fault | null = () => null;
  /** Whether a call of unknown outcome has done what was asked: at once, never, or after its answer was given up. */
  outcome: 'effect' | 'none' | 'late' = 'effect';
  /** Asked when an issue is about to be closed. */
  beforeClose: (issue: FakeIssue) => void = () => {};
  /** Called instead of answering: the process dies with the call under way. */
  dies: (operation: Operation) => boolean = () => false;

  constructor(flavour: Flavour, clock: VirtualClock) {
    this.flavour = flavour;
    this.#clock = clock;
  }

  /** The issue of another account, with whatever marker. */
  plant(marker: string): FakeIssue {
    const issue = this.#issue('team/shop', { title: 'planted', body: [], marker }, 'mallory');
    this.issues.push(issue);
    return issue;
  }

  open(guard: WriteGuard): IssueTracker {
    return {
      closes: this.closes,
      self: async () => ({ id: OWN }),
      create: (target, draft) =>
        this.#call('create', guard, () => {
          const issue = this.#issue(target, draft, OWN);
          this.issues.push(issue);
          return issue.ref;
        }),
      find: (target, marker, since) =>
        this.#call('find', null, () => {
          this.land();
          const seen = this.#clock.monotonic() - this.lag;
          const found = this.issues.find(
            (issue) =>
              issue.marker === marker && issue.author === OWN && issue.openedAt <= seen && !issue.gone,
          );
          if (found !== undefined && !found.ref.key.startsWith(target)) throw new Error('looked elsewhere');
          if (since > this.#clock.now()) throw new Error('looked up in the future');
          return found?.ref ?? null;
        }),
      filed: (target) =>
        this.#call('filed', null, () => {
          this.land();
          const { now, monotonic } = { now: this.#clock.now(), monotonic: this.#clock.monotonic() };
          return this.issues
            .filter(({ author, gone, ref }) => author === OWN && !gone && ref.key.startsWith(target))
            .map(({ ref, marker, title, text, openedAt }) => ({
              ...{ ref, marker, text: `${title}\n${text}` },
              openedAt: now - (monotonic - openedAt),
            }));
        }),
      commentTexts: (ref) =>
        this.#call('commentTexts', null, () => this.#find(ref).comments.map(({ text }) => text)),
      read: (ref) => this.#call('read', null, () => this.#state(this.#find(ref))),
      commentMarkers: (ref) =>
        this.#call('commentMarkers', null, () => {
          this.land();
          const { comments } = this.#find(ref);
          const seen = this.#clock.monotonic() - this.commentLag;
          return comments
            .filter(({ author, at }) => author === OWN && at <= seen)
            .map(({ marker }) => marker);
        }),
      comment: (ref, { body, marker }) =>
        this.#call('comment', guard, () => {
          const at = this.#landsAt ?? this.#clock.monotonic();
          this.#find(ref).comments.push({ marker, author: OWN, text: JSON.stringify(body), at });
        }),
      close: async (ref, reason) => {
        if (!this.closes) return 'left_open';
        return this.#call('close', guard, () => this.#close(ref, reason));
      },
      test: async () => ({ works: true, sentence: 'read the project', hints: [] }),
    };
  }

  #close(ref: IssueRef, reason: EndReason): 'closed' {
    const issue = this.#find(ref);
    this.beforeClose(issue);
    // Jira offers no transition to where an issue is; the others take it.
    if (issue.state === 'closed' && this.flavour.startsWith('jira'))
      throw new TrackerError('invalid', 'the transition is not valid for the current state', {
        happened: 'no',
      });
    if (issue.state === 'open') issue.reason = reason;
    issue.state = 'closed';
    return 'closed';
  }

  #state(issue: FakeIssue): IssueState {
    const { state, gone, movedTo } = issue;
    if (gone) return { state: 'closed', gone };
    return movedTo === null ? { state } : { state, movedTo };
  }

  #find(ref: IssueRef): FakeIssue {
    const issue = this.issues.find((one) => one.ref.id === ref.id);
    if (issue === undefined) throw new TrackerError('not_found', 'no such issue', { happened: 'no' });
    return issue;
  }

  #issue(
    target: string,
    { title, body, marker }: Pick<IssueDraft, 'title' | 'body' | 'marker'>,
    author: string,
  ): FakeIssue {
    const number = ++this.#number;
    const key = `${target}${this.flavour.startsWith('jira') ? '-' : '#'}${number}`;
    return {
      ref: { key, url: `https://tracker.example/${key}`, id: `id${number}` },
      marker,
      author,
      title,
      text: JSON.stringify(body),
      openedAt: this.#landsAt ?? this.#clock.monotonic(),
      state: 'open',
      reason: null,
      gone: false,
      movedTo: null,
      comments: [],
    };
  }

  /** Lets calls land that were under way. */
  land(): void {
    const due = this.#flying.filter(({ lands }) => lands <= this.#clock.monotonic());
    for (const flight of due) {
      this.#flying.splice(this.#flying.indexOf(flight), 1);
      this.#landsAt = flight.lands;
      flight.effect();
      this.#landsAt = null;
    }
  }

  async #call<T>(operation: Operation, guard: WriteGuard | null, effect: () => T): Promise<T> {
    if (guard !== null && !guard())
      throw new TrackerError('stopped', 'nothing is sent any more', { happened: 'no' });
    this.land();
    this.calls.push(operation);
    const writes = guard !== null;
    if (this.dies(operation)) {
      // Sent, and nobody waits for the answer; it lands some seconds later.
      if (writes) this.#flying.push({ lands: this.#clock.monotonic() + 5000, effect });
      throw new Error('the process died');
    }
    const fault = this.fault(operation);
    this.#clock.advance(this.takes);
    if (fault === null) return effect();
    if (writes && UNKNOWN.has(fault)) {
      if (this.outcome === 'effect') effect();
      if (this.outcome === 'late') this.#flying.push({ lands: this.#clock.monotonic() + 30_000, effect });
    }
    if (fault === 'timeout') this.#clock.advance(20_000);
    throw faultOf(fault, writes && UNKNOWN.has(fault) ? 'unknown' : 'no');
  }
}

function faultOf(fault: Fault, happened: 'no' | 'unknown'): TrackerError {
  switch (fault) {
    case 'refused':
    case 'dns':
    case 'tls':
      return new TrackerError('network', `no connection: ${fault}`, { happened });
    case 'timeout':
    case 'reset':
    case 'server':
    case 'unreadable':
      return new TrackerError(fault, `no usable answer: ${fault}`, { happened });
    case 'rate_limited':
      return new TrackerError('rate_limited', 'too many requests', { happened, quietMs: 30_000 });
    case 'secondary':
      return new TrackerError('rate_limited', 'secondary rate limit', { happened });
    case 'redirect':
      return new TrackerError('moved', 'the project was moved', { happened });
  }
}
