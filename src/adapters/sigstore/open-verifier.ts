import type { Log } from '../../base/index.ts';
import type {
  EvidenceVerifier,
  NotAccepted,
  Verification,
  VerifiedArtifact,
} from '../../supply-chain/index.ts';
import type { Rules } from './evidence.ts';
import { Thread } from './thread.ts';
import type { TrustSource } from './trust-source.ts';
import type { Outcome, RootDocument, Task, ToThread } from './verify-protocol.ts';
import { openRules, perform, unasked } from './verify-thread.ts';

/** VERIFY_LIMIT_MS is the longest that a verification takes, waiting and trust root included: no such call outlives 90 seconds. */
const VERIFY_LIMIT_MS = 90_000;

/** VerifierOptions say what is verified with, and where. */
export interface VerifierOptions {
  /** Null where keyless signatures are not to be verified: they are then unverifiable at once. */
  readonly trust: TrustSource | null;
  readonly keyedLog?: Rules['keyedLog'];
  readonly log: Log;
  /** The program of the thread that verifies; null verifies where it is called, as the command line does. */
  readonly entry: string | URL | null;
  /** Milliseconds for one call, at most VERIFY_LIMIT_MS, which it is unless said. */
  readonly timeLimit?: number;
  /** Milliseconds of work on one piece of evidence (10 s); real ones take some 20. */
  readonly taskLimit?: number;
  /** Calls that may wait (256). */
  readonly queue?: number;
  /** Milliseconds after which an idle thread is let go (60 s). */
  readonly idleLimit?: number;
}

/** OpenVerifier is a verifier that holds a thread. */
export interface OpenVerifier extends EvidenceVerifier {
  /** Why the trust root that was given cannot be used, or null. Known after the first call. */
  readonly rootFault: string | null;
  close(): Promise<void>;
}

/** openVerifier gives a verifier; its thread starts with the first call. One piece of evidence is looked at at a time. */
export function openVerifier(options: VerifierOptions): OpenVerifier {
  return new SigstoreVerifier(options);
}

type RulesMessage = Extract<ToThread, { kind: 'rules' }>;

class SigstoreVerifier implements OpenVerifier {
  readonly #options: VerifierOptions;
  readonly #thread: Thread | null;
  /** The calls before the last one: each waits for those before it. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed = false;
  #rules: RulesMessage | null = null;
  #opened: { readonly from: RulesMessage; readonly rules: Rules } | null = null;
  #rootFault: string | null = null;

  constructor(options: VerifierOptions) {
    this.#options = options;
    const { entry, taskLimit = 10_000, idleLimit = 60_000, log } = options;
    this.#thread =
      entry === null
        ? null
        : new Thread({
            entry,
            taskLimit,
            idleLimit,
            onRootFault: (fault) => this.#unusable(fault),
            onBroken: (cause) => log.error('the thread that verifies signatures ended by itself', { cause }),
          });
  }

  get rootFault(): string | null {
    return this.#rootFault;
  }

  async verify(...[digest, evidence, signal]: Parameters<EvidenceVerifier['verify']>): Promise<Verification> {
    return (await this.#submit(
      { kind: 'image', digest, evidence: compact(evidence) },
      signal,
    )) as Verification;
  }

  async verifyArtifact(
    ...[artifact, bundle, signal]: Parameters<EvidenceVerifier['verifyArtifact']>
  ): Promise<VerifiedArtifact | NotAccepted> {
    const task: Task = { kind: 'artifact', artifact: own(artifact), bundle: own(bundle) };
    return (await this.#submit(task, signal)) as VerifiedArtifact | NotAccepted;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.close();
  }

  async #submit(task: Task, signal: AbortSignal | undefined): Promise<Outcome> {
    const { queue = 256, timeLimit = VERIFY_LIMIT_MS } = this.#options;
    if (this.#waiting >= queue) return unverifiable('busy', `${this.#waiting} wait to be verified already`);
    this.#waiting += 1;
    const limit = Math.min(timeLimit, VERIFY_LIMIT_MS);
    const deadline = AbortSignal.any([AbortSignal.timeout(limit), ...(signal === undefined ? [] : [signal])]);
    const run = this.#turn.then(() => this.#perform(task, deadline)).finally(() => (this.#waiting -= 1));
    this.#turn = run.catch(() => {});
    return Promise.race([run.catch((error: unknown) => this.#failed(error)), gone(deadline, limit)]);
  }

  async #perform(task: Task, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return unverifiable('deadline', 'nobody waits for the answer any more');
    if (this.#closed) return unverifiable('fault', 'the service is shutting down');
    const source = this.#options.trust;
    if (source !== null && (this.#rules === null || this.#rules.root === null)) {
      // None is at hand, and getting one can take a network: what needs none is not kept waiting for it.
      const first = await this.#run(this.#rulesOf(null), task, true);
      if (!lacksTrust(first)) return first;
    }
    const trust = source && (await unlessGone(source.current(signal), signal));
    // Getting a trust root can take as long as the whole call may; the next caller then tries for itself.
    if (trust === 'gone') return unverifiable('deadline', 'no trust root came in time');
    const outcome = await this.#run(this.#rulesOf(trust?.document ?? null), task, false);
    const why = trust?.fault ?? this.#rootFault;
    return lacksTrust(outcome) && why !== null ? { ...outcome, message: why } : outcome;
  }

  async #run(message: RulesMessage, task: Task, isFirstLook: boolean): Promise<Outcome> {
    if (this.#thread !== null) return this.#thread.run(message, task, isFirstLook);
    const rules = this.#openedRules(message);
    return perform(isFirstLook ? unasked(rules) : rules, task);
  }

  /** The same message for the same root, so that the thread is told of it once. */
  #rulesOf(root: RootDocument | null): RulesMessage {
    if (this.#rules?.root !== root || this.#rules === null) {
      this.#rootFault = null;
      this.#rules = { kind: 'rules', root, keyedLog: this.#options.keyedLog ?? 'optional' };
    }
    return this.#rules;
  }

  #openedRules(message: RulesMessage): Rules {
    if (this.#opened?.from !== message) {
      const { rules, fault } = openRules(message.root, message.keyedLog);
      if (fault !== null) this.#unusable(fault);
      this.#opened = { from: message, rules };
    }
    return this.#opened.rules;
  }

  #unusable(fault: string): void {
    this.#rootFault = fault;
    const file = this.#rules?.root?.file;
    this.#options.log.error('the trust root cannot be used: keyless signatures are not verified', {
      fault,
      file,
    });
  }

  #failed(error: unknown): Outcome {
    this.#options.log.error('a verification failed by a fault of its own', { error: String(error) });
    return unverifiable('fault', 'the verifier failed on it');
  }
}

function lacksTrust(outcome: Outcome): outcome is NotAccepted {
  return outcome.kind === 'unverifiable' && outcome.reason === 'no_trust_root';
}

async function unlessGone<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'gone'> {
  return Promise.race([work, aborted(signal).then(() => 'gone' as const)]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function gone(signal: AbortSignal, limit: number): Promise<Outcome> {
  await aborted(signal);
  return unverifiable(
    'deadline',
    `no answer within ${limit / 1000} seconds, or nobody waits for it any more`,
  );
}

function unverifiable(reason: 'busy' | 'deadline' | 'fault', message: string): Outcome {
  return { kind: 'unverifiable', reason, message };
}

function compact(evidence: Extract<Task, { kind: 'image' }>['evidence']): typeof evidence {
  switch (evidence.kind) {
    case 'bundle':
      return {
        ...evidence,
        bundle: own(evidence.bundle),
        manifest: evidence.manifest && own(evidence.manifest),
      };
    case 'simple_signing':
      return { ...evidence, payload: own(evidence.payload) };
    case 'envelope':
      return { ...evidence, envelope: own(evidence.envelope) };
  }
}

/** Only the bytes: a slice of a larger buffer would be sent to the thread with all of it. */
function own(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
