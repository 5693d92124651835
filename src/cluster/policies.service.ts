import { Outage, byCodeUnit, type Clock, type Log } from '../base/index.ts';
import type { Policy, PolicyWrite } from '../policy/index.ts';
import {
  readPolicyObject,
  toPolicyStatus,
  WRITTEN_BY,
  type Decides,
  type PolicyObject,
  type PolicyObjectKind,
  type PolicyStatus,
  type ReadPolicy,
} from './policy-status.ts';
import type { ClusterEvents } from './ports.ts';

/** PolicyMirror copies the policies in effect in the cluster to the database, for code that reads policies there. */
export interface PolicyMirror<P extends Decides = Policy> {
  /** Adds revisions that are not there, of a kind whose revisions are kept. Every replica may. */
  record(policies: readonly PolicyWrite[]): Promise<void>;
  /**
   * Makes the policies in effect exactly these, and those of the `kept` names as they stand there. Only the leader of this fence may:
   * throws when there is a later one.
   */
  replace(
    fence: number,
    policies: readonly PolicyWrite[],
    kept: readonly string[],
    at: number,
  ): Promise<void>;
  /** The policy in effect under a name as kept last, or null. */
  last(name: string): Promise<P | null>;
}

/** PolicyStatuses writes the status of an object; false when the object is no longer that version. */
export interface PolicyStatuses {
  write(object: PolicyObject, status: PolicyStatus): Promise<boolean>;
}

/** ClusterPoliciesDeps are what the policies of a cluster are kept with. */
export interface ClusterPoliciesDeps<P extends Decides = Policy> {
  readonly kind: PolicyObjectKind<P>;
  readonly mirror: PolicyMirror<P>;
  readonly statuses: PolicyStatuses;
  readonly events: ClusterEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/** SettlingLeader tells whether this process leads over the database and under which fence, and whether it leads its cluster. */
export interface SettlingLeader {
  isLeader(): boolean;
  leadsCluster(): boolean;
  fence(): number;
}

/** PolicyMark is a version of an ImagePolicy: that of a write, or `gone` that of one that was deleted. */
export type PolicyMark =
  | { readonly name: string; readonly version: string }
  | { readonly name: string; readonly gone: string };

interface Held<P extends Decides> {
  readonly read: ReadPolicy<P>;
  /** What decisions use: of an object that cannot be read, the last one that could. */
  readonly inForce: P | null;
  /** False while the database did not tell which one that is; it is asked again. */
  readonly known: boolean;
}

/**
 * ClusterPolicies holds the policies of one kind in memory, as objects of the cluster tell them. One that was edited into something invalid
 * does not fall away: its last valid revision stays in effect, and its status says so.
 */
export class ClusterPolicies<P extends Decides = Policy> {
  readonly #deps: ClusterPoliciesDeps<P>;
  readonly #held = new Map<string, Held<P>>();
  #current: readonly P[] | null = null;
  /** What the mirror was made under which fence: after another process led, that is not known any more. */
  #mirrored: { readonly key: string; readonly fence: number } | null = null;
  readonly #unrecorded = new Map<string, PolicyWrite>();
  readonly #outage = new Outage();
  #turn: Promise<void> = Promise.resolve();
  #next = Promise.withResolvers<void>();

  constructor(deps: ClusterPoliciesDeps<P>) {
    this.#deps = deps;
  }

  /** The policies in effect, in name order, the same list as long as nothing changed; null before they were read. */
  current(): readonly P[] | null {
    return this.#current;
  }

  /** Names of objects of which nothing is in effect. */
  get invalid(): readonly string[] {
    return [...this.#held].filter(([, { inForce }]) => inForce === null).map(([name]) => name);
  }

  /** The policy that decides under a name: of an object that cannot be read the last one that could; null where none does. */
  inEffect(name: string): P | null {
    return this.#held.get(name)?.inForce ?? null;
  }

  /** Whether what is in effect here comes from this version of an object, or a later one. */
  holds(mark: PolicyMark): boolean {
    if (this.#current === null) return false;
    const version = this.#held.get(mark.name)?.read.object.version;
    if ('gone' in mark) return version === undefined || isLater(version, mark.gone);
    return version !== undefined && (version === mark.version || isLater(version, mark.version));
  }

  /** Resolves once objects have been taken the next time. */
  taken(): Promise<void> {
    return this.#next.promise;
  }

  /** Takes all objects that there are; called with each change, one call after another. */
  take(objects: readonly PolicyObject[]): Promise<void> {
    const taken = this.#turn.then(() => this.#take(objects));
    this.#turn = taken.catch(() => undefined);
    return taken;
  }

  async #take(objects: readonly PolicyObject[]): Promise<void> {
    const names = new Set(objects.map(({ name }) => name));
    let changed = this.#current === null;
    for (const name of [...this.#held.keys()].filter((name) => !names.has(name))) {
      this.#held.delete(name);
      changed = true;
    }
    const news = objects.filter(({ name, version }) => this.#held.get(name)?.read.object.version !== version);
    const reads = news.map((object) => readPolicyObject(this.#deps.kind, object));
    const asks = ({ policy, object }: ReadPolicy<P>): boolean =>
      policy === null && this.#held.get(object.name)?.known !== true;
    const later = reads.filter(asks);
    for (const read of [...reads.filter((one) => !asks(one)), ...later]) {
      // What waits for the database keeps no other policy from coming into effect; at the start nothing is decided before all are read.
      if (changed && this.#current !== null && read === later[0]) {
        this.#change();
        changed = false;
      }
      const { object } = read;
      const before = this.#held.get(object.name);
      if (await this.#hold(read, before ?? null)) changed = true;
      const write = this.#toWrite(read);
      if (write === null) this.#tell(read, before ?? null);
      else this.#unrecorded.set(`${write.name} ${write.revision}`, write);
    }
    if (changed) this.#change();
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    await this.#record();
  }

  #change(): void {
    this.#current = [...this.#held.values()]
      .flatMap(({ inForce }) => inForce ?? [])
      .toSorted((a, b) => byCodeUnit(a.name, b.name));
    const { log, kind } = this.#deps;
    log.info('policies in effect changed', { kind: kind.kind, policies: this.#current.length });
  }

  /**
   * Does again what a database that was down kept from being done: a last valid revision is read, and the revisions that were seen are
   * kept. It keeps no valid policy from being in effect meanwhile.
   */
  record(): Promise<void> {
    const done = this.#turn.then(() => this.#again());
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #again(): Promise<void> {
    let changed = false;
    for (const before of [...this.#held.values()].filter(({ known }) => !known))
      if (await this.#hold(before.read, before)) changed = true;
    if (changed) this.#change();
    await this.#record();
  }

  async #record(): Promise<void> {
    const writes = [...this.#unrecorded];
    if (writes.length === 0) return;
    try {
      await this.#deps.mirror.record(writes.map(([, write]) => write));
      for (const [key] of writes) this.#unrecorded.delete(key);
      if (this.#outage.ends()) this.#deps.log.info('revisions of policies are kept again');
    } catch (error) {
      const level = this.#outage.isNew(String(error)) ? 'warn' : 'debug';
      this.#deps.log[level]('revisions of policies were not kept; it is tried again', {
        revisions: writes.length,
        error,
      });
    }
  }

  /** Holds an object; gives whether that changes what is in effect. */
  async #hold(read: ReadPolicy<P>, before: Held<P> | null): Promise<boolean> {
    const held = await this.#toHeld(read, before);
    this.#held.set(read.object.name, held);
    return held.inForce !== (before?.inForce ?? null);
  }

  /** A policy of the same revision stays one object: rules are prepared per object. */
  async #toHeld(read: ReadPolicy<P>, before: Held<P> | null): Promise<Held<P>> {
    if (read.policy !== null) {
      const isSame = before?.inForce?.revision === read.policy.revision;
      return { read, inForce: isSame ? before.inForce : read.policy, known: true };
    }
    if (before?.known === true) return { read, inForce: before.inForce, known: true };
    try {
      return { read, inForce: await this.#deps.mirror.last(read.object.name), known: true };
    } catch (error) {
      this.#deps.log.warn('the last valid revision of a policy cannot be read; it is tried again', {
        policy: read.object.name,
        error,
      });
      return { read, inForce: null, known: false };
    }
  }

  #tell({ object, ...read }: ReadPolicy<P>, before: Held<P> | null): void {
    if (read.fault === null || (before !== null && before.read.policy === null)) return;
    const { log, kind } = this.#deps;
    const { fault } = read;
    log.warn('a policy of the cluster is not valid', { kind: kind.kind, policy: object.name, fault });
    this.#deps.events.emit({
      regarding: { apiVersion: 'ipo.dev/v1', kind: this.#deps.kind.kind, name: object.name, uid: object.uid },
      type: 'Warning',
      reason: 'InvalidPolicy',
      action: 'Read',
      note: fault,
    });
  }

  /**
   * The leader's part: statuses, and the mirror in the database; asked before every write. A status that cannot be written keeps no
   * other from being; the first such fault is thrown at the end.
   */
  async settle(leader: SettlingLeader): Promise<void> {
    if (this.#current === null) return;
    const faults: unknown[] = [];
    if (leader.isLeader()) await this.#mirror(leader.fence()).catch((error: unknown) => faults.push(error));
    for (const { read, inForce, known } of [...this.#held.values()]) {
      const status = known ? toPolicyStatus(read, inForce, this.#deps.clock.now()) : null;
      if (status === null || !leader.leadsCluster()) continue;
      await this.#deps.statuses.write(read.object, status).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }

  async #mirror(fence: number): Promise<void> {
    const held = [...this.#held.values()];
    const writes = held.flatMap(({ read }) => this.#toWrite(read) ?? []);
    // An object that cannot be read keeps what the mirror has of it, also where that could not be read yet.
    const kept = held.flatMap(({ read }) => (read.policy === null ? read.object.name : []));
    const key = JSON.stringify([
      writes.map(({ name, revision, document }) => [name, revision, document]),
      kept,
    ]);
    if (this.#mirrored?.key === key && this.#mirrored.fence === fence) return;
    await this.#deps.mirror.replace(fence, writes, kept, this.#deps.clock.now());
    this.#mirrored = { key, fence };
  }

  #toWrite(read: ReadPolicy<P>): PolicyWrite | null {
    if (read.fault !== null) return null;
    const { policy, document, object } = read;
    return {
      name: policy.name,
      document,
      revision: policy.revision,
      at: this.#deps.clock.now(),
      by: writerOf(object.value, policy.revision),
    };
  }
}

/** Versions of one kind are numbers that ascend; a server whose versions are none tells nothing but that they are equal. */
function isLater(version: string, than: string): boolean {
  return /^\d+$/.test(version) && /^\d+$/.test(than) && BigInt(version) > BigInt(than);
}

/** writerOf gives the account that wrote this revision through the API, or null. */
export function writerOf(value: Readonly<Record<string, unknown>>, revision: string): string | null {
  const { annotations } = (value['metadata'] ?? {}) as { annotations?: Readonly<Record<string, string>> };
  const [by, written] = (annotations?.[WRITTEN_BY] ?? '').split(' ');
  return written === revision && by !== undefined && /^user:[\w-]{1,64}$/.test(by) ? by : null;
}
