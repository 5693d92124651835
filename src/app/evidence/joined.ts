import { openTimestamps } from '../../adapters/timestamps/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import type { DeclarationsParts, EvidenceParts } from '../../api/index.ts';
import type { Clock, Count, Log } from '../../base/index.ts';
import { openDeclarations, openPackages, toEvidenceSigner } from '../../evidence/index.ts';
import { ALWAYS_LEFT_OUT } from '../../reconcile/index.ts';
import {
  declarationStore,
  keyRecords,
  logBytesOf,
  packageStore,
  packageWork,
  type Store,
} from '../../store/index.ts';
import type { Settings } from '../config/settings.ts';
import { openEvidenceKey } from '../ledger/key.ts';
import type { Places } from '../running/data-directory.ts';
import { whileLogIsShort, type Traffic } from '../programs/pace.ts';
import type { Job } from '../running/jobs.ts';
import type { RetentionClock } from '../running/retention-time.service.ts';
import { keepInChild } from './child.ts';
import { evidenceJobs, type EvidenceJobsParts } from './jobs.ts';

/** ServiceEvidenceDeps are what the evidence packages of a service are joined with. */
export interface ServiceEvidenceDeps {
  /** As it was opened: any replica makes packages. */
  readonly store: Store;
  /** Whose writes hold the fence of a leader's job. */
  readonly fenced: Store;
  readonly parts: Pick<EvidenceParts, 'audit' | 'names' | 'together'>;
  readonly settings: Pick<Settings, 'evidence' | 'webhook' | 'clusterName' | 'publicUrl'>;
  readonly places: Pick<Places, 'databaseUrl' | 'evidenceKeyFile' | 'scratchDirectory'>;
  /** The operator's own namespace; null outside of a cluster. */
  readonly namespace: string | null;
  checkpoint(): Promise<unknown>;
  readonly version: string;
  readonly retention: RetentionClock;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  readonly outbound?: Outbound | undefined;
  readonly traffic: Traffic;
  readonly make?: EvidenceJobsParts['make'];
}

/** ServiceEvidence is what the routes of evidence are asked of, and the jobs. */
export interface ServiceEvidence {
  readonly routes: EvidenceParts & DeclarationsParts;
  readonly jobs: readonly Job[];
}

/** openEvidence joins them. Throws `key_missing` where the key that signed packages is not there, `format` for another kind of key. */
export async function openEvidence(deps: ServiceEvidenceDeps): Promise<ServiceEvidence> {
  const { store, fenced, parts, settings, places, namespace, version, retention, clock, log, count } = deps;
  const {
    frameworks,
    retentionDays: days,
    organisation = null,
    contact = null,
    timestampUrl,
  } = settings.evidence;
  const keys = keyRecords(store);
  const file = places.evidenceKeyFile;
  const pem = await openEvidenceKey(file, keys.haveSigned, log);
  await keys.use(toEvidenceSigner(pem, file), clock.now());
  const packages = packageStore(store);
  const short = whileLogIsShort(deps.traffic, () => logBytesOf(places.databaseUrl));
  return {
    routes: {
      ...parts,
      keys,
      packages: openPackages({ store: packages, clock, frameworks, days }),
      declarations: openDeclarations(declarationStore(store), clock),
    },
    jobs: evidenceJobs({
      days,
      retention,
      clock,
      log,
      count,
      work: packageWork(store),
      store: packageStore(fenced),
      checkpoint: deps.checkpoint,
      monotonic: () => performance.now(),
      make: deps.make ?? ((task, stamp, signal) => keepInChild(task, stamp, signal, short)),
      stamp: async (query, signal) => {
        if (timestampUrl === undefined) throw new TypeError('no time stamp is asked for');
        return openTimestamps(timestampUrl, deps.outbound).stamp(query, signal);
      },
      task: {
        url: places.databaseUrl,
        keyFile: file,
        scratch: places.scratchDirectory,
        stamped: timestampUrl !== undefined,
        place: {
          organisation: { name: organisation, contact },
          publicUrl: settings.publicUrl?.replace(/\/+$/, '') ?? null,
          cluster: settings.clusterName ?? null,
          coldImagePolicy: settings.webhook.coldImagePolicy,
          exemptNamespaces: [
            ...new Set([
              ...ALWAYS_LEFT_OUT,
              ...settings.webhook.excludedNamespaces,
              ...(namespace === null ? [] : [namespace]),
            ]),
          ].toSorted(),
          version,
        },
      },
    }),
  };
}
