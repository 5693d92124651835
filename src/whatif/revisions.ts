import type { RecordedPolicy } from '../ledger/index.ts';
import { parseRecordedPolicy, type Policy } from '../policy/index.ts';

/** Revisions finds recorded policies: by their revision, whatever name the line carries, and those in effect by name. */
export class Revisions {
  readonly #byRevision = new Map<string, RecordedPolicy>();
  readonly #inForce = new Map<string, RecordedPolicy>();
  readonly #parsed = new Map<RecordedPolicy, Policy | null>();

  constructor(recorded: readonly RecordedPolicy[]) {
    for (const entry of recorded) {
      if (entry.revision !== '' && !this.#byRevision.has(entry.revision))
        this.#byRevision.set(entry.revision, entry);
      if (entry.current) this.#inForce.set(entry.name, entry);
    }
  }

  /** The policy of a revision, or null when it is not at hand or cannot be read. */
  revision(revision: string): Policy | null {
    return this.#parse(this.#byRevision.get(revision));
  }

  /** The policy in effect under a name, or null. */
  inForce(name: string): Policy | null {
    return this.#parse(this.#inForce.get(name));
  }

  /** The names of the policies in effect. */
  names(): string[] {
    return [...this.#inForce.keys()].toSorted();
  }

  #parse(entry: RecordedPolicy | undefined): Policy | null {
    if (entry === undefined) return null;
    let policy = this.#parsed.get(entry);
    if (policy === undefined) {
      policy = parseRecordedPolicy(entry.document, entry.name, entry.revision);
      this.#parsed.set(entry, policy);
    }
    return policy;
  }
}
