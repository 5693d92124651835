import { setImmediate as nextTurn } from 'node:timers/promises';
import { RouteTable, type ExposureIndex, type IngressRoute, type ServiceRoute } from '../../pods/index.ts';
import type { PolicySnapshot } from '../../admission/index.ts';
import type { ServingCertificate } from '../../api/index.ts';
import { byCodeUnit, type Clock } from '../../base/index.ts';
import { openPattern, patternTexts, type Policy } from '../../policy/index.ts';
import { StateKeeper, type StatePiece } from '../processes/kept-state.ts';
import { TOPICS } from './acts.ts';

/** ToldStateOptions are told what concerns the port. */
export interface ToldStateOptions {
  readonly clock: Clock;
  certificate(certificate: ServingCertificate): void;
  paths(ends: readonly string[]): void;
  authority(pem: string): void;
}

/** While the service's part is started again what it told stands; away for longer, it may be old. Milliseconds. */
const STALE_AFTER = 15_000;

/** ToldState is what the webhook's part knows from the service's: it holds on to it while that part is away. */
export class ToldState {
  readonly #options: ToldStateOptions;
  readonly #routes = new RouteTable();
  readonly #whole = new Set<string>();
  readonly #keeper: StateKeeper;
  #policies: readonly Policy[] | null = null;
  #nodes: ReadonlyMap<string, unknown> = new Map();
  #stale: ReadonlyMap<string, unknown> = new Map();
  #awaySince: number | null;

  constructor(options: ToldStateOptions) {
    this.#options = options;
    this.#awaySince = options.clock.now();
    this.#keeper = new StateKeeper((topic, entries, keys) => this.#changed(topic, entries, keys));
  }

  /** The policies of a cluster. */
  readonly policies: PolicySnapshot = {
    current: () => this.#policies,
    staleSince: () => this.#staleSince('policies'),
  };

  /** What exposes the pods of a cluster. */
  readonly exposure: ExposureIndex = {
    of: (namespace, labels) => this.#routes.of(namespace, labels),
    unready: () => {
      const missing = [TOPICS.services, TOPICS.ingresses].find((topic) => !this.#whole.has(topic));
      return missing === undefined ? null : `the ${missing} of the cluster were not read yet`;
    },
    staleSince: () => this.#staleSince('exposure'),
  };

  /** The platform of a node of the cluster, or null. */
  platformOf(node: string): string | null {
    const platform = this.#nodes.get(node);
    return typeof platform === 'string' ? platform : null;
  }

  /** Another life of the service's part tells everything again. */
  begin(): void {
    this.#awaySince = null;
    this.#keeper.begin();
  }

  take(piece: StatePiece): void {
    this.#keeper.take(piece);
  }

  /** The service's part is gone. */
  away(): void {
    this.#awaySince ??= this.#options.clock.now();
  }

  #staleSince(what: 'policies' | 'exposure'): number | null {
    const told = this.#stale.get(what);
    if (typeof told === 'number') return told;
    const since = this.#awaySince;
    return since !== null && Math.abs(this.#options.clock.now() - since) > STALE_AFTER ? since : null;
  }

  #changed(topic: string, entries: ReadonlyMap<string, unknown>, keys: ReadonlySet<string>): void {
    this.#whole.add(topic);
    switch (topic) {
      case TOPICS.policies:
        this.#takePolicies(entries as ReadonlyMap<string, Policy>);
        break;
      case TOPICS.services:
        for (const key of keys) this.#routes.setService(key, entries.get(key) as ServiceRoute | undefined);
        break;
      case TOPICS.ingresses:
        for (const key of keys) this.#routes.setIngress(key, entries.get(key) as IngressRoute | undefined);
        break;
      case TOPICS.nodes:
        this.#nodes = entries;
        break;
      case TOPICS.stale:
        this.#stale = entries;
        break;
      case TOPICS.certificate: {
        const serving = entries.get('serving');
        if (serving !== undefined) this.#options.certificate(serving as ServingCertificate);
        break;
      }
      case TOPICS.callers: {
        const [paths, authority] = [entries.get('paths'), entries.get('authority')];
        if (keys.has('paths') && paths !== undefined) this.#options.paths(paths as readonly string[]);
        if (keys.has('authority') && typeof authority === 'string') this.#options.authority(authority);
      }
    }
  }

  /** A revision stays one object, since what follows from it is prepared per object; a list is the same as long as nothing changed. */
  #takePolicies(entries: ReadonlyMap<string, Policy>): void {
    const before = new Map((this.#policies ?? []).map((policy) => [policy.name, policy]));
    const now = [...entries.values()]
      .map((policy) => {
        const known = before.get(policy.name);
        return known?.revision === policy.revision ? known : policy;
      })
      .toSorted((a, b) => byCodeUnit(a.name, b.name));
    const isSame = now.length === before.size && now.every((policy) => before.get(policy.name) === policy);
    if (this.#policies === null || !isSame) this.#policies = now;
    void compile(now.filter((policy) => before.get(policy.name) !== policy));
  }
}

/** Patterns of signers may take milliseconds to compile: each in a turn of its own, before a review needs it. They are kept by their text. */
async function compile(policies: readonly Policy[]): Promise<void> {
  for (const text of new Set(policies.flatMap(({ spec }) => patternTexts(spec)))) {
    await nextTurn();
    openPattern(text);
  }
}
