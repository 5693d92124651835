import { openVexSource } from '../../adapters/feeds/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import type { Clock, Count, Digest, Log } from '../../base/index.ts';
import type { Keychain, Registry } from '../../image/index.ts';
import { collectionStore, type Store } from '../../store/index.ts';
import {
  FactsCollector,
  VexLibrary,
  type CollectionState,
  type EvidenceVerifier,
  type MonotonicClock,
  type VexSource,
} from '../../supply-chain/index.ts';
import type { Job } from '../running/jobs.ts';
import { bundlePlace, readVexPlace } from '../config/vex.ts';

/** SupplyChainDeps are what the facts on signatures, attestations, provenance and VEX are collected with. */
export interface SupplyChainDeps {
  /** The store that leader jobs write through (`fenceWrites`). */
  readonly store: Store;
  readonly registry: Registry;
  readonly verifier: EvidenceVerifier;
  /** Credentials of the pods that run an image; null leaves it to the registry's own keychain. */
  readonly keychainOf: ((digest: Digest) => Promise<Keychain | null>) | null;
  readonly vex: VexSettings;
  /** How calls leave; directly unless given. */
  readonly outbound?: Outbound | undefined;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
  readonly count: Count;
}

/** VexSettings are `vex` of the settings. */
export interface VexSettings {
  readonly sources: readonly { readonly document: string; readonly bundle?: string | undefined }[];
}

/** SupplyChain is what the service has of it. */
export interface SupplyChain {
  readonly jobs: readonly Job[];
  /** Makes the collection of digests due now. */
  request(digests: readonly Digest[]): Promise<void>;
  /** How the collection of a digest stands; null when it was never taken in. */
  state(digest: Digest): Promise<CollectionState | null>;
}

/** What is due is looked for so often. */
const EVERY = 10_000;
/** What is new more often: a pod that was refused for a missing signature is made again within seconds. */
const NEW_EVERY = 3_000;

/** openSupplyChain joins the collection of facts with a store. */
export function openSupplyChain(deps: SupplyChainDeps): SupplyChain {
  const { store, registry, verifier, keychainOf, vex, clock, monotonic, log, count } = deps;
  const kept = collectionStore(store);
  const sources = vexSources(vex, deps.outbound);
  const collector = new FactsCollector({
    store: kept,
    registry,
    verifier,
    vexSources: sources.length === 0 ? null : new VexLibrary({ sources, verifier, monotonic, count, log }),
    keychainOf,
    clock,
    log,
    count,
  });
  return {
    jobs: [
      {
        name: 'image-proofs',
        every: EVERY,
        leaderOnly: true,
        atStart: true,
        run: (signal) => collector.run(signal),
      },
      {
        name: 'new-image-proofs',
        every: NEW_EVERY,
        leaderOnly: true,
        atStart: true,
        run: (signal) => collector.runNew(signal),
      },
    ],
    request: (digests) => collector.request(digests),
    state: (digest) => kept.state(digest),
  };
}

/** vexSources makes the configured sources of VEX documents; nothing is asked yet. */
export function vexSources({ sources }: VexSettings, outbound?: Outbound): readonly VexSource[] {
  return sources.map(({ document, bundle }) => {
    const place = readVexPlace(document);
    if ('fault' in place) throw new Error(`vex.sources ${place.fault}`); // the settings were checked
    const name = place.kind === 'file' ? place.path : `${place.url.origin}${place.url.pathname}`;
    return openVexSource(name, { document: place, bundle: bundlePlace(place, bundle) }, { outbound });
  });
}
