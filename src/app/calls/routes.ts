import {
  auditRoutes,
  evidenceRoutes,
  imageRoutes,
  ledgerRoutes,
  runtimeEventRoutes,
  runtimeWhatIfRoutes,
  scanRoutes,
  trackingRoutes,
  triageRoutes,
  vulnerabilityRoutes,
  whatIfRoutes,
  type Route,
} from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import { openPackages } from '../../evidence/index.ts';
import { openImages, openTriage, readPolicies } from '../../inventory/index.ts';
import {
  accountNames,
  auditLog,
  channelStore,
  filingStore,
  imageStore,
  issueFacts,
  kevDueDates,
  ledgerExport,
  ledgerReader,
  ledgerTree,
  packageStore,
  policyReads,
  runStore,
  runtimeEvents,
  scanStore,
  trackingHistory,
  triageStore,
  vulnerabilityStore,
  type Store,
} from '../../store/index.ts';
import { openPreviews } from '../../trackers/index.ts';
import { openKeptRuns } from '../../whatif/index.ts';
import type { CallAsks, CallSetup } from './protocol.ts';
import { runtimeWhatIfParts } from '../running/runtime-whatif.ts';
import { criticalWindow } from '../running/critical-window.ts';
import { readReports } from '../scanning/read-reports.ts';
import { trackingTerms } from '../trackers/tracking-terms.ts';
import { loadAdapters, textRoomsOf } from '../trackers/adapters.ts';

/** callRoutes are the routes whose calls are costly, over a store of the thread's own; what they leave to the loop goes through `asks`. */
export async function callRoutes(
  store: Store,
  setup: CallSetup,
  asks: CallAsks,
  clock: Clock,
): Promise<Route[]> {
  const rooms = textRoomsOf(await loadAdapters());
  const { coldImagePolicy, cluster, origin, vkey } = setup;
  const policies = readPolicies(policyReads(store), coldImagePolicy);
  const images = openImages({
    store: imageStore(store),
    policies,
    coldImagePolicy,
    clock,
    upToDate: () => asks.refresh(),
  });
  const log = auditLog(store, clock);
  const audit = { ...log, record: asks.record };
  const names = accountNames(store);
  const channels = channelStore(store);
  const terms = { criticalWindow: criticalWindow(policies), dueDates: kevDueDates(store) };
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const context = { audit, clock, together };
  const routes = [
    ...auditRoutes({ audit, clock }),
    ...imageRoutes({
      images,
      ...context,
      collected: (digest) => asks.collected(digest),
      scanQueue: { request: elsewhere },
    }),
    ...vulnerabilityRoutes({ vulnerabilities: vulnerabilityStore(store), images, clock }),
    ...triageRoutes({ triage: openTriage({ store: triageStore(store), policies, clock }), ...context }),
    ...trackingRoutes({
      history: trackingHistory(store),
      previews: openPreviews({
        channels,
        filing: filingStore(store),
        facts: issueFacts(store),
        terms,
        rooms,
        clock,
      }),
      markers: null,
      terms: trackingTerms(policies, channels),
      ...context,
    }),
    ...whatIfRoutes({
      whatif: { run: elsewhere },
      runs: openKeptRuns({ runs: runStore(store), printer: { print: elsewhere }, names, audit, clock }),
      names,
    }),
    ...ledgerRoutes({
      ledger: ledgerReader(store),
      tree: ledgerTree(store),
      audit,
      clock,
      coldImagePolicy,
      cluster,
      signing: { checkpoint: () => asks.checkpoint(), origin, vkey },
      exporter: (request) => ledgerExport(store, request),
      anchors: { list: elsewhere },
      spool: elsewhere,
    }),
    ...runtimeEventRoutes({ events: runtimeEvents(store), clock }),
    ...runtimeWhatIfRoutes(runtimeWhatIfParts(store, setup, clock)),
    ...evidenceRoutes({
      packages: openPackages({ store: packageStore(store), clock, frameworks: [], days: setup.evidenceDays }),
      keys: { list: elsewhere },
      audit,
      names,
      together,
    }),
    // What is written here is recorded here, in the same transaction.
    ...scanRoutes({ scans: scanStore(store), readReport: readReports, audit: log, clock, together }),
  ];
  return routes.filter(({ work }) => work === setup.work);
}

/** The other routes of the same folders are answered on the loop. */
function elsewhere(): never {
  throw new TypeError('this call is not made in a thread');
}
