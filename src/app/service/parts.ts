import {
  type AccountNames,
  openAccounts,
  openPasswords,
  type Accounts,
  type AuditLog,
  type AuditReader,
  type CookieRule,
} from '../../accounts/index.ts';
import { BASE_PATH, type RuntimeWhatIfParts } from '../../api/index.ts';
import type { Clock, Count, Log } from '../../base/index.ts';
import { EndOfLife, KnownExploited, readKevSource, type KevPlace } from '../../catalogues/index.ts';
import {
  openImages,
  openTriage,
  readPolicies,
  type Images,
  type PoliciesInForce,
  type Triage,
  type VulnerabilityStore,
} from '../../inventory/index.ts';
import type { LedgerReader, TreeStore } from '../../ledger/index.ts';
import { openKevSource, openReleaseSource } from '../../adapters/feeds/index.ts';
import {
  openKeptPolicies,
  openPolicies,
  type KeptPolicies,
  type NamedPolicies,
  type Policies,
  type PolicyStore,
} from '../../policy/index.ts';
import {
  openRuntimeRules,
  RUNTIME_POLICIES,
  type RevisedRuntimePolicy,
  type RuntimeEvents,
  type RuntimeRules,
} from '../../runtime/index.ts';
import type { ReportReader, ScanQueue, ScanStore } from '../../scan/index.ts';
import {
  accountNames,
  accountStore,
  accountSweeper,
  auditLog,
  codeStore,
  erasureOf,
  failureStore,
  imageStore,
  kevStore,
  ledgerReader,
  ledgerTree,
  policyReads,
  policyStore,
  releaseStore,
  runStore,
  runtimeEvents,
  runtimePolicyStore,
  runtimeRuleStore,
  scanQueue,
  scanStore,
  sessionStore,
  tokenStore,
  triageStore,
  vulnerabilityStore,
  type Store,
} from '../../store/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import { openIdentityProvider } from '../../adapters/oidc/index.ts';
import {
  openKeptRuns,
  openLiveWhatIf,
  type KeptRuns,
  type LiveWhatIf,
  type RunStore,
} from '../../whatif/index.ts';
import { runtimeWhatIfParts } from '../running/runtime-whatif.ts';
import { readReports } from '../scanning/read-reports.ts';
import type { ReplayProcess } from '../replay/process.ts';
import { isHttps } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';

/** ServiceParts are the domain's services over one store. */
export interface ServiceParts {
  readonly accounts: Accounts;
  readonly audit: AuditLog & AuditReader;
  readonly cookie: CookieRule;
  /** What holds for an image without a scan where a policy does not say. */
  readonly coldImagePolicy: Settings['webhook']['coldImagePolicy'];
  readonly clock: Clock;
  readonly policies: Policies;
  readonly runtimePolicies: KeptPolicies<RevisedRuntimePolicy>;
  /** Whether policies are objects of a cluster. */
  readonly inCluster: boolean;
  /** The policies that govern now. */
  readonly inForce: () => Promise<PoliciesInForce>;
  readonly whatif: LiveWhatIf;
  readonly runs: KeptRuns;
  readonly runStore: RunStore;
  readonly names: AccountNames;
  readonly images: Images;
  readonly triage: Triage;
  readonly vulnerabilities: VulnerabilityStore;
  readonly scans: ScanStore;
  readonly scanQueue: ScanQueue;
  readonly readReport: ReportReader;
  /** The catalogue of known exploited vulnerabilities. */
  readonly kev: KnownExploited;
  /** When operating systems end. */
  readonly endOfLife: EndOfLife;
  readonly runtimeRules: RuntimeRules;
  readonly runtimeEvents: RuntimeEvents;
  readonly runtimeWhatIf: RuntimeWhatIfParts;
  readonly ledger: LedgerReader;
  readonly tree: TreeStore;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

/** PolicyObjects keep policies of both kinds as objects of a cluster. */
export interface PolicyObjects {
  readonly policyStore: PolicyStore;
  readonly runtimePolicies: { readonly store: NamedPolicies<RevisedRuntimePolicy> };
}

/** ServiceDeps are what the services are joined with. */
export interface ServiceDeps {
  readonly store: Store;
  /** Where policies are kept that are objects of a cluster; null outside of one, where the database keeps them. */
  readonly objects: PolicyObjects | null;
  readonly replay: ReplayProcess;
  readonly settings: Settings;
  /** How calls leave; directly unless given. */
  readonly outbound?: Outbound | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** joinParts joins the domain's services with a store. */
export function joinParts(deps: ServiceDeps): ServiceParts {
  const { store, replay, settings, outbound, clock, log, count } = deps;
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const audit = auditLog(store, clock);
  const runs = runStore(store);
  const { coldImagePolicy } = settings.webhook;
  const policies = readPolicies(policyReads(store), coldImagePolicy);
  return {
    together,
    audit,
    accounts: openAccounts(
      {
        accounts: accountStore(store),
        sessions: sessionStore(store),
        tokens: tokenStore(store),
        failures: failureStore(store),
        codes: codeStore(store),
        sweeper: accountSweeper(store),
        erasure: erasureOf(store),
        passwords: openPasswords(),
        audit,
        together,
        clock,
        log,
      },
      openOidc(settings, clock, outbound),
    ),
    cookie: { https: isHttps(settings) },
    coldImagePolicy,
    clock,
    inForce: policies,
    inCluster: deps.objects !== null,
    policies: openPolicies({ store: deps.objects?.policyStore ?? policyStore(store), clock }),
    runtimePolicies: openKeptPolicies(RUNTIME_POLICIES, {
      store: deps.objects?.runtimePolicies.store ?? runtimePolicyStore(store),
      clock,
    }),
    whatif: openLiveWhatIf({ replayer: replay, runs, audit, together, count, clock }),
    runs: openKeptRuns({ runs, printer: replay, names: accountNames(store), audit, clock }),
    runStore: runs,
    names: accountNames(store),
    images: openImages({ store: imageStore(store), policies, coldImagePolicy, clock }),
    triage: openTriage({ store: triageStore(store), policies, clock }),
    vulnerabilities: vulnerabilityStore(store),
    scans: scanStore(store),
    scanQueue: scanQueue(store),
    readReport: readReports,
    kev: new KnownExploited({
      clock,
      log,
      store: kevStore(store),
      source: openKevSource(settings.kev.source, placeOf('kev.source', settings.kev.source), { outbound }),
    }),
    endOfLife: new EndOfLife({
      clock,
      log,
      store: releaseStore(store),
      source: openReleaseSource(
        settings.endOfLife.source,
        placeOf('endOfLife.source', settings.endOfLife.source),
        { outbound },
      ),
    }),
    runtimeRules: openRuntimeRules(runtimeRuleStore(store), clock),
    runtimeEvents: runtimeEvents(store),
    runtimeWhatIf: runtimeWhatIfParts(
      store,
      {
        cluster: settings.clusterName ?? null,
        maxStops: settings.runtime.maxStops,
        ownNamespace: settings.cluster?.namespace ?? null,
      },
      clock,
    ),
    ledger: ledgerReader(store),
    tree: ledgerTree(store),
  };
}

/** Where a catalogue is, as the setting says; the settings were checked. */
function placeOf(setting: string, source: string): KevPlace {
  const place = readKevSource(source);
  if ('fault' in place) throw new Error(`${setting} ${place.fault}`);
  return place;
}

/** Sign-in by the identity provider, where one is configured. */
function openOidc(
  { oidc, publicUrl }: Settings,
  clock: Clock,
  outbound?: Outbound,
): Parameters<typeof openAccounts>[1] {
  if (oidc === undefined || publicUrl === undefined) return null;
  const { issuer, clientId, clientSecret, scopes, trustEmail, roles } = oidc;
  return {
    provider: openIdentityProvider({
      issuer,
      clientId,
      clientSecret: clientSecret?.reveal() ?? null,
      redirectUri: `${new URL(publicUrl).origin}${BASE_PATH}/session/oidc/callback`,
      scopes,
      clock,
      outbound,
    }),
    rules: {
      trustEmail,
      roles: { claim: roles.claim ?? null, values: roles.values, standard: roles.standard ?? null },
    },
  };
}
