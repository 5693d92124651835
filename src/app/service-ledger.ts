import type { LedgerParts } from '../api/index.ts';
import type { Clock, Count, Log } from '../base/index.ts';
import { openFileSpool } from '../adapters/spool/index.ts';
import { Anchoring, Appender, LedgerTree, toSigner } from '../ledger/index.ts';
import { anchorStates, installationId, ledgerExport, ledgerWriter, type Store } from '../store/index.ts';
import type { Redactor } from '../telemetry/index.ts';
import { openAnchors } from './anchors.ts';
import type { Places } from './data-directory.ts';
import { openLedgerKey } from './ledger-key.ts';
import type { ServiceParts } from './service-parts.ts';
import type { Settings } from './settings.ts';
import { timers } from './timers.ts';

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
}

/** ServiceLedger is the writing side of a service's ledger. */
export interface ServiceLedger {
  readonly appender: Appender;
  readonly anchors: Pick<LedgerParts['anchors'], 'list'>;
  /** Integrates what the ledger has grown by, signs it, and tells it outside. */
  checkpoint(): Promise<void>;
  readonly routes: LedgerParts;
}

/**
 * openLedger opens key, tree, anchors and spool. What the spool holds of an earlier life is put back from here on. Throws
 * `key_missing` when the key is not the one that signed before.
 */
export async function openLedger(deps: LedgerDeps): Promise<ServiceLedger> {
  const { store, parts, places, settings, clock, log, count } = deps;
  const isSigned = async (): Promise<boolean> => (await parts.tree.newestCheckpoint()) !== null;
  const pem = await openLedgerKey(places.keyFile, isSigned, log);
  const origin = settings.ledger.origin ?? `ipo.dev/ledger/${await installationId(store)}`;
  const refused = (): void => count.add('svc_ledger_refused_checkpoints_total');
  const tree = new LedgerTree({ store: parts.tree, signer: toSigner(origin, pem), clock, log, refused });
  await tree.checkKey();

  const states = anchorStates(store);
  const anchors = await openAnchors(settings, deps.redactor);
  const anchoring = new Anchoring({ anchors, states, store: parts.tree, clock, log });
  const { maxRows, maxBytes } = settings.ledger.spool;
  const spool = await openFileSpool({ directory: places.spoolDirectory, log, maxRows, maxBytes });
  const appender = new Appender({ writer: ledgerWriter(store), spool, timers, log, count });
  return {
    appender,
    anchors: states,
    checkpoint: async () => {
      await tree.checkpoint();
      await anchoring.run();
    },
    routes: {
      ...parts,
      signing: tree,
      exporter: (request) => ledgerExport(store, request),
      anchors: states,
      spool: () => ({ rows: appender.waiting.spooled, delayed: appender.delayed }),
      coldImagePolicy: settings.webhook.coldImagePolicy,
      cluster: settings.clusterName ?? null,
    },
  };
}
