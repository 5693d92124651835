import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PolicySnapshot } from '../../admission/index.ts';
import { byCodeUnit, type Clock, type Log } from '../../base/index.ts';
import { parseRecordedPolicy, type Policy } from '../../policy/index.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** Policies count as out of date when they could not be compared with the database for this many milliseconds. */
const STALE_AFTER = 15_000;

/** AdmissionPolicies keeps the policies of a database in memory: the standalone service has no other place for them. */
export class AdmissionPolicies implements PolicySnapshot {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #current: readonly Policy[] | null = null;
  /** What the list was read as. */
  #key = '';
  #comparedAt = 0;
  #reading: Promise<void> | null = null;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  current(): readonly Policy[] | null {
    return this.#current;
  }

  staleSince(): number | null {
    if (this.#current === null) return null;
    // A clock that was set back tells no age, so that is one as well until the next comparison.
    return Math.abs(this.#clock.now() - this.#comparedAt) > STALE_AFTER ? this.#comparedAt : null;
  }

  /** Brings the list up to date; call it again and again, and after a write. Throws when the database does not answer. */
  async refresh(): Promise<void> {
    // One that is under way may have read before the write that this call follows.
    await this.#reading?.catch(() => {});
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    const at = this.#clock.now();
    const rows = await run(
      this.#store.read,
      sql<
        Row<'policies', 'name' | 'version' | 'revision'>
      >`select name, version, revision from policies order by name`,
    );
    const key = rows.map(({ name, version, revision }) => `${name} ${version} ${revision}`).join('\n');
    if (this.#current === null || key !== this.#key) {
      this.#current = await this.#parse();
      this.#key = key;
    }
    this.#comparedAt = at;
  }

  /**
   * A revision is parsed once and stays one object, since what follows from it is prepared per object. What cannot be read, as a newer
   * version may have written it, keeps the revision in effect that was read before: a policy must not end by being unreadable.
   */
  async #parse(): Promise<readonly Policy[]> {
    const rows = await run(
      this.#store.read,
      sql<Row<'policies', 'name' | 'revision' | 'document'>>`select name, revision, document from policies`,
    );
    const known = new Map((this.#current ?? []).map((policy) => [policy.name, policy]));
    const policies: Policy[] = [];
    for (const { name, revision, document } of rows) {
      const before = known.get(name);
      const isKnown = before?.revision === revision;
      const policy = isKnown ? before : parseDocument(document, name, revision);
      if (!isKnown) await nextTurn(); // patterns of signers may take milliseconds to compile
      if (policy === null)
        this.#log.error('a policy in effect cannot be read; admissions are decided without this revision', {
          policy: name,
          revision,
          instead: before?.revision ?? null,
        });
      const inForce = policy ?? before;
      if (inForce !== undefined) policies.push(inForce);
    }
    return policies.toSorted((a, b) => byCodeUnit(a.name, b.name));
  }
}

function parseDocument(document: string, name: string, revision: string): Policy | null {
  try {
    return parseRecordedPolicy(JSON.parse(document), name, revision);
  } catch {
    return null; // no JSON
  }
}
