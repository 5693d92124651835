import { planDatabase, readStoredDocuments, type MigrationPlan } from '../../src/app/index.ts';
import { IpoError } from '../../src/base/index.ts';
import { toYaml } from '../../src/render/index.ts';
import { judgeValues, NEWEST, planUpgrade, RELEASES, type Release } from '../../src/releases/index.ts';
import { findDatabase } from '../files/index.ts';
import { theRelease } from '../release/find.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { judgeDocuments } from './documents.ts';
import { readValues } from './values-file.ts';
import { toMarkdown, toText, type PlanBody } from './view.ts';

/** UpgradePlanOptions are the flags of `ipo upgrade plan`. */
export interface UpgradePlanOptions {
  readonly to?: string;
  readonly from?: string;
  readonly values?: string;
  readonly database?: string;
  readonly release: string;
  readonly namespace: string;
  readonly registry: string;
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'yaml', 'markdown'] as const;

/** runUpgradePlan is `ipo upgrade plan`. Exit 1 when the way leads back, or when the new release would reject a stored document. */
export async function runUpgradePlan(options: UpgradePlanOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table', [options.values]);
  const to = theRelease(options.to ?? NEWEST);
  const url = databaseOf(options, terminal);
  const database = url === null ? null : await planDatabase(url);
  if (database?.exists === false)
    throw new IpoError('unreadable', `${database.database} does not exist`, {
      hint: 'Check the address; the first start of a service makes its database',
    });
  const from = options.from === undefined ? releaseOf(database) : theRelease(options.from);
  const plan = planUpgrade(from, to);
  const values = options.values === undefined ? null : await readValues(options.values, terminal);
  const documents =
    url === null ? null : judgeDocuments(plan, await readStoredDocuments(url), hostsOf(values));
  const due = database === null ? null : dueOf(database, to);
  const body: PlanBody = {
    ...plan,
    migrations: due ?? plan.migrations.map((number) => ({ number, name: null, summary: null })),
    values: {
      ...plan.values,
      in_your_file: values === null ? null : judgeValues(plan, values),
    },
    documents,
    steps: plan.direction === 'up' ? stepsOf(options, to) : [],
  };
  const forms = {
    table: () => toText(body, terminal),
    markdown: () => toMarkdown(body),
    json: () => `${JSON.stringify(body)}\n`,
    yaml: () => toYaml(body),
  };
  await writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
  const refused = documents?.some(({ state }) => state === 'refused') ?? false;
  return plan.direction === 'back' || refused ? EXIT.check : EXIT.done;
}

/** `trackers.allowedHosts` of a file of values, which a service takes for chats and webhooks too. */
function hostsOf(values: unknown): readonly string[] {
  const { trackers } = (values ?? {}) as { readonly trackers?: { readonly allowedHosts?: unknown } };
  const hosts = trackers?.allowedHosts;
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : [];
}

/** The database is asked where it is named, or where nothing else says which release runs now. */
function databaseOf({ from, database }: UpgradePlanOptions, { env }: Terminal): string | null {
  if (database !== undefined) return findDatabase(database, env);
  if (from !== undefined) return null;
  try {
    return findDatabase(undefined, env);
  } catch {
    throw new UsageError(
      'the release that runs now is not known',
      'Give this release with --from VERSION, or the database with --database URL',
    );
  }
}

/** The release of the last migration that a database went through: the earliest that can run on it. */
function releaseOf(database: MigrationPlan | null): Release {
  const last = database?.migrations.findLast(({ appliedAt }) => appliedAt !== null);
  if (last === undefined)
    throw new UsageError(
      `${database?.database ?? 'the database'} is empty, so there is nothing to upgrade`,
      'Check the address; the first start of a service makes its tables',
    );
  return theRelease(last.release);
}

/** What this program would apply up to a release. */
function dueOf({ migrations }: MigrationPlan, to: Release): PlanBody['migrations'] {
  const reached = new Set(RELEASES.slice(RELEASES.indexOf(to)).map(({ version }) => version));
  return migrations
    .filter(({ appliedAt, release }) => appliedAt === null && reached.has(release))
    .map(({ name, summary }) => ({ number: Number(name.slice(0, 4)), name, summary }));
}

/** The chart's name, which stands in the names of what it makes. */
const CHART = 'image-policy-operator';

function stepsOf(
  { release, namespace, registry, values }: UpgradePlanOptions,
  to: Release,
): readonly string[] {
  const given = values === undefined || values === '-' ? '--reuse-values' : `-f ${values}`;
  const pods = release.includes(CHART) ? release : `${release}-${CHART}`;
  return [
    // In the pod, whose configuration and environment name the database, into the volume: nothing else can be written to.
    `kubectl exec --namespace ${namespace} statefulset/${pods} -- ipo backup create --config /etc/ipo/config/config.yaml --out /var/lib/ipo/before-${to.version}.ipobackup`,
    `helm upgrade ${release} oci://${registry}/charts/${CHART} --version ${to.version} --namespace ${namespace} ${given} --wait`,
  ];
}
