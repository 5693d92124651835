import { openBytes, openClusterLists, toReports, type ListedResource } from '../../../src/app/index.ts';
import { IpoError, isIpoError, printable } from '../../../src/base/index.ts';
import type { LedgerRow, LedgerSource, SourceLack } from '../../../src/ledger/index.ts';
import { Exposure } from '../../../src/pods/index.ts';
import {
  auditLines,
  AuditRecorder,
  emptyObjects,
  podRows,
  readObjects,
  RecordingError,
  untilEvent,
  type AuditCounts,
  type AuditStart,
  type ClusterObjects,
} from '../../../src/recording/index.ts';
import { counted } from '../../../src/render/index.ts';
import type { ScanReport } from '../../../src/scan/index.ts';
import { findKubeconfig } from '../../files/index.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { VERSION } from '../../terminal/version.ts';
import type { LedgerRecordOptions } from './options.ts';
import { readJson } from './read-json.ts';

/** Recorded is what a source gave: rows from the oldest, with the reports that came with it. */
export interface Recorded {
  readonly source: LedgerSource;
  readonly lacks: readonly SourceLack[];
  readonly cluster: string | null;
  readonly rows: readonly Omit<LedgerRow, 'id'>[];
  readonly reports: readonly ScanReport[];
}

/** A gigabyte is mostly passed over: larger pieces halve what that costs. */
const CHUNK = 262_144;

type Say = (text: string) => void;

/** recordPods takes the pods of files or of a cluster. Throws FileError, RecordingError, ClusterError. */
export async function recordPods(
  options: LedgerRecordOptions,
  terminal: Terminal,
  say: Say,
): Promise<Recorded> {
  const objects = emptyObjects();
  const context = options.pods === undefined ? await readCluster(options, objects, terminal, say) : null;
  for (const path of [...(options.pods ?? []), ...(options.services ?? [])])
    readObjects(await readJson(path, terminal), path === '-' ? 'stdin' : path, objects);
  for (const name of objects.unreadable) say(`${name} cannot be read, and is left out`);
  if (objects.cut) say('a list is one page of a longer list: pods are missing');
  const cluster = options.cluster ?? context;
  return {
    source: 'pods',
    lacks: lacksOf(objects),
    cluster,
    rows: podRows(objects.pods, cluster, new Exposure(objects.services, objects.ingresses)),
    reports: await toReports(objects.reports, 'trivy-operator', say),
  };
}

function lacksOf({ kinds, services, cut }: ClusterObjects): SourceLack[] {
  const isKnown = kinds.has('Service') || services.length > 0;
  return [...(isKnown ? [] : ['exposure' as const]), ...(cut ? ['rest_of_list' as const] : [])];
}

/** recordAudit takes the pods that an audit log tells of. Throws FileError, and RecordingError for a file without an audit event. */
export async function recordAudit(
  paths: readonly string[],
  {
    services = [],
    cluster = null as string | null,
  }: { services?: readonly string[]; cluster?: string | null },
  io: { terminal: Terminal; progress: Progress; say: Say },
): Promise<Recorded> {
  const { terminal, progress, say } = io;
  const objects = emptyObjects();
  for (const path of services) readObjects(await readJson(path, terminal), path, objects);
  const lacks = lacksOf(objects);
  const recorder = new AuditRecorder(new Exposure(objects.services, objects.ingresses));
  for (const path of paths) {
    const file = path === '-' ? 'stdin' : path;
    let firstBad = 0;
    const start: AuditStart = { isLog: false, firstOther: 0 };
    const bad = (line: number): void => void (firstBad ||= line);
    const chunks = await openBytes(path, terminal.stdin, (read, size) => progress.bytes(read, size), CHUNK);
    try {
      for await (const { number, text } of auditLines(untilEvent(chunks, start), bad))
        if (!recorder.take(text)) bad(number);
    } catch (error) {
      // A log that is rotated while it is copied ends too early: what came before it counts.
      if (!isIpoError(error) || error.code !== 'truncated') throw error;
      say(`${file}: ${error.message}; the events before it were read`);
    }
    if (!start.isLog && start.firstOther > 0)
      throw new RecordingError(
        'format',
        'neither this line nor any other line of the file is an audit event',
        { file, line: start.firstOther },
        'Give the log that the API server writes to --audit-log-path: a JSON object with apiVersion audit.k8s.io/v1 on each line',
      );
    if (firstBad > 0)
      say(`${file}:${firstBad}: this line is not a whole event; it and others like it are left out`);
  }
  const rows = recorder.finish(cluster);
  for (const line of inWords(recorder.counts())) say(line);
  return { source: 'audit', lacks, cluster, rows, reports: [] };
}

/** What was counted and gave no row, for people. */
function inWords(counts: AuditCounts): string[] {
  const said: readonly (readonly [number, string])[] = [
    [
      counts.metadata_level,
      'at level Metadata, which does not name images: see ipo ledger record --audit-policy',
    ],
    [
      counts.denied_by_others,
      'denied by the API server or by other webhooks, so no image policy decided on them',
    ],
    [counts.not_carried_out, 'that failed otherwise'],
    [counts.dry_run, 'of dry runs'],
    [
      counts.updates_of_unknown_pods,
      'that change a pod whose creation is not in the log, so the new images are not known',
    ],
    [counts.unreadable, 'that cannot be read'],
  ];
  const passed = said.flatMap(([count, what]) =>
    count === 0 ? [] : [`${counted(count, 'event')} left out ${what}`],
  );
  return [`${counted(counts.reviews, 'review')} of pods in the log`, ...passed];
}

/** Gives the context that was read. Pods must be readable; what else is not is told, with the role to grant. */
async function readCluster(
  { kubeconfig, context }: LedgerRecordOptions,
  into: ClusterObjects,
  terminal: Terminal,
  say: Say,
): Promise<string> {
  const path = findKubeconfig(kubeconfig, terminal);
  const lists = await openClusterLists({ path, context: context ?? null, version: VERSION });
  const missing: ListedResource[] = [];
  try {
    for (const resource of ['pods', 'services', 'ingresses', 'vulnerabilityreports'] as const) {
      try {
        await lists.pages(resource, (page) => readObjects(page, `list of ${resource}`, into));
      } catch (error) {
        if (!isIpoError(error) || error.code !== 'forbidden') throw error;
        missing.push(resource);
      }
    }
  } finally {
    await lists.close();
  }
  if (missing.length === 0) return lists.context;
  const text = `this account may not list ${missing.join(', ')} of all namespaces`;
  if (missing.includes('pods')) throw new IpoError('forbidden', printable(text), { hint: roleFor(missing) });
  say(`${text}; ${roleFor(missing)}`);
  return lists.context;
}

const GROUPS: Readonly<Record<ListedResource, string>> = {
  pods: 'pods',
  services: 'services',
  ingresses: 'ingresses.networking.k8s.io',
  vulnerabilityreports: 'vulnerabilityreports.aquasecurity.github.io',
};

function roleFor(missing: readonly ListedResource[]): string {
  const resources = missing.map((one) => GROUPS[one]).join(',');
  return `an administrator grants it with: kubectl create clusterrole ipo-record --verb=list --resource=${resources}; kubectl create clusterrolebinding ipo-record --clusterrole=ipo-record --user=USER`;
}
