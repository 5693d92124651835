import { IpoError, isIpoError, Outage, type Clock, type Log } from '../base/index.ts';
import { isOtherHistory, judgeAnchored, type AnchorRefusal, type Anchored } from './judge-anchored.ts';
import type { NoteKey } from './note.ts';
import { TreeError } from './tree-error.ts';
import type { SignedCheckpoint, TreeReader } from './tree-ports.ts';
import type { Anchor, AnchorKept, AnchorState, AnchorStates } from './anchor-ports.ts';

/** RefusedCheckpoint is a checkpoint that was not published, or not even signed, because of what an anchor holds. */
export interface RefusedCheckpoint {
  readonly anchor: string;
  readonly reason: AnchorRefusal;
  /** Sentence for people. */
  readonly message: string;
}

/** AnchorDeps are what anchors are told with. */
export interface AnchorDeps {
  readonly anchors: readonly Anchor[];
  readonly states: AnchorStates;
  readonly store: TreeReader;
  /** The key that signs, in the name of the log. */
  readonly key: NoteKey;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every refusal, each time: a counter, an event. */
  readonly refused?: (refusal: RefusedCheckpoint) => void;
}

/**
 * So long an anchor that cannot be read keeps a process from signing what it did not sign before: rows that nothing covers show no
 * change, and one that is away for good must not leave them so.
 */
export const UNREAD_MS = 10 * 60_000;

/** Look is what was found at an anchor. */
interface Look {
  readonly anchor: Anchor;
  readonly before: AnchorState;
  /** What it holds, and what that says of the ledger; null where it could not be read. */
  readonly kept: AnchorKept | null;
  readonly found: Anchored | null;
  /** Why it could not be read. */
  readonly fault: unknown;
}

/**
 * Anchoring tells the outside of checkpoints, and holds the ledger against what stands there: a database that was put back as a whole
 * is in agreement with itself, so an anchor is the only proof that rows were lost. What an anchor holds is overwritten only when it
 * is proved to be a prefix of the tree. An anchor that fails is tried again the next time, and holds up neither the ledger nor the
 * other anchors.
 */
export class Anchoring {
  readonly #deps: AnchorDeps;
  /** When each anchor that cannot be read was first found so. */
  readonly #unreadSince = new Map<string, number>();
  /** The last refusal of each anchor that this process wrote into the log. */
  readonly #logged = new Map<string, AnchorRefusal>();
  /** What keeps an anchor from being read or told, by `read name` and `told name`. */
  readonly #outages = new Map<string, Outage>();

  constructor(deps: AnchorDeps) {
    this.#deps = deps;
  }

  /**
   * Holds the ledger against every anchor before it is signed. `isOurs` tells whether this process signed the newest checkpoint. Throws
   * TreeError `integrity` where one proves another history of this log, and IpoError `unavailable` where one cannot be read and
   * nothing else shows that the history is the same.
   */
  async hold(isOurs: boolean): Promise<void> {
    const looks = await this.#look();
    const others = looks.filter(({ found }) => isOtherHistory(found?.reason ?? null));
    for (const look of others) this.#tellFound(look);
    const [other] = others;
    if (other !== undefined) throw new TreeError('integrity', textOf(other), { hint: HINT });
    if (isOurs) return;
    const now = this.#deps.clock.now();
    const unread = looks.find(
      ({ anchor, kept }) => kept === null && now - (this.#unreadSince.get(anchor.name) ?? now) < UNREAD_MS,
    );
    if (unread === undefined) return;
    throw new IpoError(
      'unavailable',
      `the ledger is not signed yet: ${textOf(unread)}, so nothing shows whether this is the database that was anchored`,
      { hint: `It is signed without this anchor after ${UNREAD_MS / 60_000} minutes` },
    );
  }

  /** Tells every anchor that is behind of the newest checkpoint, and gives how each stands. Faults of an anchor are kept, not thrown. */
  async run(): Promise<readonly AnchorState[]> {
    const looks = await this.#look();
    const newest = await this.#deps.store.newestCheckpoint();
    // What is signed may itself be the other history: then no further place is told of it.
    const isOther = looks.some(({ found }) => isOtherHistory(found?.reason ?? null));
    return Promise.all(
      looks.map(async (look) => {
        const { anchor, before, kept, found, fault } = look;
        if (kept === null || found === null) {
          this.#logFault(anchor, 'read', fault);
          return before;
        }
        this.#logEnd(anchor, 'read');
        if (found.reason !== null) {
          this.#tellFound(look);
          return before;
        }
        if (newest === null || isOther) return before;
        if (found.size >= newest.size) {
          const state = {
            ...before,
            size: Math.max(before.size, found.size),
            lastError: null,
            refused: null,
          };
          return this.#keep(before, state);
        }
        if (found.size < before.size) this.#logLoss(anchor, found.size, before.size);
        return this.#put({ ...before, ...(await this.#tell(anchor, newest, kept)) });
      }),
    );
  }

  /** Reads and judges every anchor, and keeps how each stands; says nothing of it yet. */
  async #look(): Promise<readonly Look[]> {
    const { anchors, states } = this.#deps;
    if (anchors.length === 0) return [];
    const known = new Map((await states.list()).map((state) => [state.sink, state]));
    return Promise.all(
      anchors.map((anchor) =>
        this.#lookAt(anchor, known.get(anchor.name) ?? { sink: anchor.name, ...NEVER }),
      ),
    );
  }

  async #lookAt(anchor: Anchor, before: AnchorState): Promise<Look> {
    const { store, key, clock } = this.#deps;
    let kept: AnchorKept;
    try {
      kept =
        anchor.read === null
          ? { notes: before.note === null ? [] : [before.note], version: null }
          : await anchor.read();
    } catch (fault) {
      if (!this.#unreadSince.has(anchor.name)) this.#unreadSince.set(anchor.name, clock.now());
      const state = await this.#keep(before, { ...before, lastError: sentenceOf(fault) });
      return { anchor, before: state, kept: null, found: null, fault };
    }
    this.#unreadSince.delete(anchor.name);
    // The tree is read after the anchor: what another replica told there stands in the database already.
    const found = await judgeAnchored(kept.notes, key, store);
    const state = await this.#keep(before, stateOf(before, found));
    return { anchor, before: state, kept, found, fault: null };
  }

  async #tell(
    anchor: Anchor,
    newest: SignedCheckpoint,
    kept: AnchorKept,
  ): Promise<Partial<AnchorState> & Pick<AnchorState, 'lastError' | 'refused'>> {
    try {
      await anchor.publish(newest, kept);
      this.#logged.delete(anchor.name);
      this.#logEnd(anchor, 'told');
      const note = anchor.read === null ? newest.note : null;
      return { size: newest.size, note, lastError: null, refused: null };
    } catch (error) {
      if (isIpoError(error) && error.code === 'conflict') {
        this.#tellRefusal(anchor, 'conflict', error.message, error.hint ?? HINT);
        return { lastError: error.message, refused: 'conflict' };
      }
      this.#logFault(anchor, 'told', error);
      return { lastError: sentenceOf(error), refused: null };
    }
  }

  #tellFound({ anchor, found }: Look): void {
    if (found !== null && found.reason !== null) this.#tellRefusal(anchor, found.reason, found.text, HINT);
  }

  #tellRefusal({ name }: Anchor, reason: AnchorRefusal, message: string, hint: string): void {
    const { log, refused } = this.#deps;
    // An error once; what stands, health tells.
    const level = this.#logged.get(name) === reason ? 'debug' : 'error';
    this.#logged.set(name, reason);
    log[level]('The ledger is not published: the anchor holds something else, which was left as it is', {
      anchor: name,
      reason,
      fault: message,
      hint,
    });
    refused?.({ anchor: name, reason, message });
  }

  /** Once: it is tried with every checkpoint, and what stands, health tells. */
  #logFault({ name }: Anchor, what: 'read' | 'told', error: unknown): void {
    const reason = sentenceOf(error);
    const level = this.#outageOf(name, what).isNew(reason) ? 'warn' : 'debug';
    this.#deps.log[level]('An anchor could not be told of a checkpoint', {
      anchor: name,
      reason,
      ...(isIpoError(error) ? {} : { error }),
    });
  }

  #logEnd({ name }: Anchor, what: 'read' | 'told'): void {
    if (this.#outageOf(name, what).ends()) this.#deps.log.info('An anchor answers again', { anchor: name });
  }

  #outageOf(name: string, what: 'read' | 'told'): Outage {
    const key = `${what} ${name}`;
    let outage = this.#outages.get(key);
    if (outage === undefined) this.#outages.set(key, (outage = new Outage()));
    return outage;
  }

  #logLoss({ name }: Anchor, size: number, told: number): void {
    this.#deps.log.warn('An anchor no longer holds what was sent to it; it is sent again', {
      anchor: name,
      size,
      told,
    });
  }

  async #keep(before: AnchorState, after: AnchorState): Promise<AnchorState> {
    const isSame =
      before.refused === after.refused && before.lastError === after.lastError && before.size === after.size;
    return isSame ? before : this.#put(after);
  }

  async #put(state: AnchorState): Promise<AnchorState> {
    const now = { ...state, at: this.#deps.clock.now() };
    await this.#deps.states.put(now);
    return now;
  }
}

/** How an anchor stands by what it holds. What it refused itself stays until it takes something. */
function stateOf(before: AnchorState, found: Anchored): AnchorState {
  if (found.reason !== null) return { ...before, refused: found.reason, lastError: found.text };
  if (before.refused === null || before.refused === 'conflict') return before;
  return { ...before, refused: null, lastError: null };
}

function textOf({ anchor, found, fault }: Look): string {
  return `the anchor ${anchor.name}: ${found !== null && found.reason !== null ? found.text : sentenceOf(fault)}`;
}

function sentenceOf(fault: unknown): string {
  return isIpoError(fault) ? fault.message : 'unexpected fault';
}

const NEVER = { size: 0, at: 0, lastError: null, refused: null, note: null } as const;
const HINT =
  'Compare it with: ipo ledger verify --database URL --checkpoint FILE; docs/ledger.md says how to resolve it';
