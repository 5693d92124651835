import type { AuditLog } from '../accounts/index.ts';
import { nearest, type Clock } from '../base/index.ts';
import type { ReplicaStore, SpoolNotes } from './ports.ts';
import { ReplicaError } from './replica-error.ts';
import type { Note, ReplicaStanding, ReplicaState } from './replica.ts';
import type { ReplicaReport } from './report.service.ts';

/** ReplicaListDeps are what replicas are listed and forgotten with. */
export interface ReplicaListDeps {
  readonly cluster: string;
  readonly store: Pick<ReplicaStore, 'forget'>;
  readonly report: Pick<ReplicaReport, 'look'>;
  readonly notes: SpoolNotes | null;
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  readonly together: <T>(act: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
}

/** Why a replica in a state is not forgotten. */
const KEPT: Readonly<Record<Exclude<ReplicaState, 'missing'>, string>> = {
  answers: 'answers, and holds no rows',
  spools: 'answers, and puts its rows back by itself',
  ended: 'ended and left no rows',
  forgotten: 'is forgotten already',
};

/** ReplicaList shows the replicas of a cluster to people, and lets an administrator forget one. */
export class ReplicaList {
  readonly #deps: ReplicaListDeps;

  constructor(deps: ReplicaListDeps) {
    this.#deps = deps;
  }

  /** Those of the cluster by name; one that only a note on the Lease speaks of is missing. */
  async list(): Promise<ReplicaStanding[]> {
    const { report, notes } = this.#deps;
    const standings = await report.look();
    const noted = notes === null ? [] : await notes.read().catch((): readonly Note[] => []);
    const unknown = noted.filter(({ name }) => !standings.some(({ line }) => line.name === name));
    const all = [...standings, ...unknown.map((note) => this.#missing(note))];
    return all.toSorted((a, b) => (a.line.name < b.line.name ? -1 : 1));
  }

  /**
   * Forgets a replica that is missing: the rows that it may hold count as lost, and sweeps judge without them. Throws ReplicaError
   * `not_found`, and `conflict` for one that is not missing.
   */
  async forget(
    name: string,
    by: { readonly accountId: string; readonly name: string },
    path: string,
  ): Promise<void> {
    const { cluster, store, notes, audit, together, clock } = this.#deps;
    const all = await this.list();
    const found = all.find(({ line }) => line.name === name);
    if (found === undefined) {
      const near = nearest(
        name,
        all.map(({ line }) => line.name),
      );
      throw new ReplicaError('not_found', `no replica has the name ${name}`, {
        hint: near === null ? 'ipo cluster replicas lists them' : `Did you mean ${near}?`,
      });
    }
    const { line, state } = found;
    if (state !== 'missing')
      throw new ReplicaError('conflict', `replica ${name} ${KEPT[state]}`, {
        hint: 'Only a replica that is missing can be forgotten; ipo cluster replicas shows which are',
      });
    // First, since its time is that of another clock: a note that stays would go on to count.
    await notes?.write(name, null);
    await together(async () => {
      await store.forget(name, cluster, clock.now());
      await audit.record({
        actor: by,
        action: 'replica_forget',
        target: name,
        path,
        detail: { cluster, rows: line.rows, holding_since: line.holdingSince, clean_at: line.cleanAt },
      });
    });
  }

  #missing({ name, since }: Note): ReplicaStanding {
    const { cluster } = this.#deps;
    const times = { startedAt: since, seenAt: since, holdingSince: since };
    const none = { answered: null, cleanAt: null, endedAt: null, forgottenAt: null };
    return { line: { name, cluster, life: 0, rows: 0, ...times, ...none }, state: 'missing' };
  }
}
