import type { LedgerParts } from '../../api/index.ts';
import type { Clock, Count, Log } from '../../base/index.ts';
import {
  ANCHOR_REFUSALS,
  Anchoring,
  Appender,
  ClockWatch,
  LedgerTree,
  toSigner,
  type AnchorStates,
  type ClockStanding,
  type RefusedCheckpoint,
} from '../../ledger/index.ts';
import {
  anchorStates,
  installationId,
  ledgerExport,
  ledgerWriter,
  recordedTimes,
  successorOrigin,
  type Store,
  type StoreLedgerWriter,
} from '../../store/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import type { Redactor } from '../../telemetry/index.ts';
import { openAnchors } from '../ledger/anchors.ts';
import type { Places } from '../running/data-directory.ts';
import type { Job } from '../running/jobs.ts';
import { openLedgerKey } from '../ledger/key.ts';
import type { ServiceParts } from './parts.ts';
import type { Settings } from '../config/settings.ts';
import { timers } from '../running/timers.ts';

/** LedgerDeps are what the ledger of a service is joined with. */
export interface LedgerDeps {
  readonly store: Store;
  readonly parts: ServiceParts;
  readonly places: Places;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  readonly redactor: Redactor;
  /** How calls leave; directly unless given. */
  readonly outbound?: Outbound | undefined;
  /** Whether this process answers reviews, too. */
  readonly reviews: boolean;
  /** Told each time that an anchor keeps a checkpoint from being published: an event in the cluster. */
  readonly refused?: (refusal: RefusedCheckpoint) => void;
  /** How the spool of this replica stands, which the webhook's part has. */
  spool(): { readonly rows: number; readonly delayed: boolean };
}

/** ServiceLedger is the writing side of a service's ledger. */
export interface ServiceLedger {
  /** Takes rows of sweeps, as long as the database does: its maker makes it again. */
  readonly appender: Appender;
  readonly writer: StoreLedgerWriter;
  readonly watch: ClockWatch;
  /** How the clock of this process stands; without I/O. */
  clock(): ClockStanding;
  /** Looks what others have recorded. */
  readonly jobs: readonly Job[];
  readonly anchors: Pick<LedgerParts['anchors'], 'list'>;
  /** Integrates what the ledger has grown by, signs it, and tells it outside. */
  checkpoint(): Promise<void>;
  readonly routes: LedgerParts;
}

/**
 * openLedger opens key, tree and anchors. Throws
 * `key_missing` when the key is not the one that signed before.
 */
export async function openLedger(deps: LedgerDeps): Promise<ServiceLedger> {
  const { store, parts, places, settings, clock, log, count } = deps;
  const isSigned = async (): Promise<boolean> => (await parts.tree.newestCheckpoint()) !== null;
  const pem = await openLedgerKey(places.keyFile, isSigned, log);
  const origin =
    (await successorOrigin(store)) ??
    settings.ledger.origin ??
    `ipo.dev/ledger/${await installationId(store)}`;
  const signer = toSigner(origin, pem);
  const anchors = await openAnchors(settings, deps.redactor, deps.outbound);
  const configured = new Set(anchors.map(({ name }) => name));
  const refusals = 'svc_ledger_refused_checkpoints_total';
  count.add(refusals, { anchor: 'database', reason: 'stored' }, 0);
  for (const anchor of configured)
    for (const reason of ANCHOR_REFUSALS) count.add(refusals, { anchor, reason }, 0);

  const states = anchorStates(store);
  const anchoring = new Anchoring({
    anchors,
    states,
    store: parts.tree,
    key: signer,
    clock,
    log,
    refused: (refusal) => {
      count.add(refusals, { anchor: refusal.anchor, reason: refusal.reason });
      deps.refused?.(refusal);
    },
  });
  const tree = new LedgerTree({
    store: parts.tree,
    signer,
    clock,
    log,
    refused: () => count.add(refusals, { anchor: 'database', reason: 'stored' }),
    outside: (isOurs) => anchoring.hold(isOurs),
  });
  await tree.checkKey();
  // An anchor that was taken out of the settings is nobody's concern any more.
  const listed: Pick<AnchorStates, 'list'> = {
    list: async () => (await states.list()).filter(({ sink }) => configured.has(sink)),
  };
  const watch = new ClockWatch({ times: recordedTimes(store), clock, log, count });
  await watch.look();
  const writer = ledgerWriter(store, { reviews: deps.reviews });
  const appender = new Appender({ writer, spool: null, timers, log, count, watch });
  return {
    appender,
    writer,
    watch,
    clock: () => watch.standing(),
    jobs: [{ name: 'ledger-clock', every: 15_000, leaderOnly: false, run: () => watch.look() }],
    anchors: listed,
    checkpoint: async () => {
      await tree.checkpoint();
      await anchoring.run();
    },
    routes: {
      ...parts,
      signing: tree,
      exporter: (request) => ledgerExport(store, request),
      anchors: listed,
      spool: () => deps.spool(),
      coldImagePolicy: settings.webhook.coldImagePolicy,
      cluster: settings.clusterName ?? null,
    },
  };
}
