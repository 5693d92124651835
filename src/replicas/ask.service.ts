import type { Clock } from '../base/index.ts';
import { accountOf, type Account } from './account.ts';
import type { ReplicaStore, SpoolNotes } from './ports.ts';
import type { Note } from './replica.ts';

/** AskDeps are what a leader asks replicas with. */
export interface AskDeps {
  readonly cluster: string;
  readonly store: Pick<ReplicaStore, 'ask' | 'read'>;
  /** Null where no cluster keeps notes. */
  readonly notes: Pick<SpoolNotes, 'read'> | null;
  /** Lets the replica of this process answer at once. */
  readonly own: () => Promise<void>;
  /** A token that no question had before. */
  readonly newToken: () => string;
  /** Resolves after the time, or as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
}

/** Replicas look for a question every 2 seconds; one that cannot answer is not waited for longer than this. */
const PATIENCE = 10_000;
const STEP = 500;

/**
 * askReplicas asks all replicas of a cluster whether what they took on is in the database, and waits for their answers. What is listed
 * before the call is covered by its answer. Throws when the database does not answer, or another process leads.
 */
export async function askReplicas(deps: AskDeps, fence: number, signal: AbortSignal): Promise<Account> {
  const { cluster, store, notes, own, newToken, wait, clock } = deps;
  const question = { token: newToken(), askedAt: clock.now() };
  await store.ask(fence, cluster, question);
  for (let waited = 0; ; waited += STEP) {
    await own();
    signal.throwIfAborted();
    const { lines } = await store.read(cluster);
    if (waited >= PATIENCE || accountOf(question.token, lines, []).whole) {
      const noted = notes === null ? [] : await notes.read().catch((): readonly Note[] | null => null);
      return accountOf(question.token, lines, noted);
    }
    await wait(STEP, signal);
  }
}
