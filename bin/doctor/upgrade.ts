import {
  backupPlaces,
  planDatabase,
  readStoredDocuments,
  type StoredDocuments,
} from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import type { CheckResult } from '../../src/doctor/index.ts';
import { counted } from '../../src/render/index.ts';
import { findRelease, planUpgrade, type Release } from '../../src/releases/index.ts';
import { theRelease } from '../release/find.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { judgeDocuments } from '../upgrade/documents.ts';
import type { ExaminedService } from './examine-service.ts';
import type { DoctorOptions } from './options.ts';

type Line = Omit<CheckResult, 'subject'>;

/** examineUpgrade says what an upgrade to a release needs, from what runs now. Throws `not_found` for a version that is none. */
export async function examineUpgrade(
  version: string,
  flags: Pick<DoctorOptions, 'data' | 'config'>,
  service: ExaminedService | null,
  terminal: Terminal,
): Promise<readonly CheckResult[]> {
  const to = theRelease(version);
  const found = service === null ? await fromDatabase(flags, terminal) : fromService(service);
  if (found === null)
    return [
      toResult({
        id: 'upgrade.from',
        state: 'warn',
        message: 'the release that runs now is not known',
        hint: 'Plan the upgrade with ipo upgrade plan --from VERSION',
      }),
    ];
  const plan = planUpgrade(found.release, to);
  const lines: Line[] = [];
  if (plan.direction === 'back')
    lines.push({
      id: 'upgrade.direction',
      state: 'fail',
      message: `${plan.to} is older than ${plan.from}, and migrations go forward only`,
      hint: 'Restore a backup that was made under it: ipo backup restore FILE',
    });
  else
    lines.push({
      id: 'upgrade.direction',
      state: 'ok',
      hint: null,
      message: `from ${plan.from} to ${plan.to}: ${counted(plan.migrations.length, 'migration runs', 'migrations run')}`,
    });
  if (plan.defect !== null)
    lines.push({
      id: 'upgrade.defect',
      state: 'fail',
      message: plan.defect,
      hint: 'Choose a later release: ipo release list',
    });
  for (const { release, reason } of plan.chart.because)
    lines.push({
      id: 'upgrade.chart',
      state: 'warn',
      message: `${reason} (${release})`,
      hint: 'Upgrade the chart, not only the image',
    });
  const { unread, repeated, cleared } = plan.values;
  for (const { release, name, note } of [...unread, ...repeated, ...cleared])
    lines.push({
      id: 'upgrade.values',
      state: 'warn',
      message: `chart value ${name} (${release}): ${note}`,
      hint: 'Check your values: ipo upgrade plan -f values.yaml',
    });
  for (const { document, state, note } of judgeDocuments(plan, found.documents, found.allowedHosts))
    lines.push({
      id: 'upgrade.documents',
      state: state === 'refused' ? 'fail' : 'warn',
      message: `${document}: ${note}`,
      hint: 'Change it before the upgrade',
    });
  return lines.map(toResult);
}

interface Found {
  readonly release: Release;
  readonly documents: StoredDocuments;
  /** `trackers.allowedHosts`; none is any. */
  readonly allowedHosts: readonly string[];
}

/** What a service does not say of itself; how its channels stand is a check of its own. */
const NOTHING: Omit<StoredDocuments, 'policies'> = {
  channels: [],
  blockingRules: [],
  licenceWithoutNodes: false,
};

function fromService({ version, policies }: ExaminedService): Found | null {
  const release = findRelease(version ?? '');
  if (release === null) return null;
  const documents = policies.map(({ name, document }) => ({ name, document: JSON.stringify(document) }));
  return { release, documents: { ...NOTHING, policies: documents }, allowedHosts: [] };
}

/** The release of the last migration is the earliest that can run on a database. */
async function fromDatabase(
  flags: Pick<DoctorOptions, 'data' | 'config'>,
  { env }: Terminal,
): Promise<Found | null> {
  try {
    const { database: url, allowedHosts } = await backupPlaces(flags, env);
    const { migrations } = await planDatabase(url);
    const release = findRelease(migrations.findLast(({ appliedAt }) => appliedAt !== null)?.release ?? '');
    return release === null ? null : { release, allowedHosts, documents: await readStoredDocuments(url) };
  } catch (error) {
    if (isIpoError(error)) return null;
    throw error;
  }
}

const toResult = (line: Line): CheckResult => ({ subject: 'upgrade', ...line });
