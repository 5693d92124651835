import { examineCluster, examineData } from '../../src/app/index.ts';
import { CLUSTER_CHECKS, DATA_CHECKS, examine, toReport, type CheckResult } from '../../src/doctor/index.ts';
import { toYaml } from '../../src/render/index.ts';
import { assertNew, findKubeconfig, kubeconfigNamed } from '../files/index.ts';
import { knowsService } from '../service/client.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { bundleOf } from './bundle.ts';
import { examineService } from './examine-service.ts';
import type { DoctorOptions } from './options.ts';
import { examineUpgrade } from './upgrade.ts';
import { toMarkdown, toText, worstFirst } from './view.ts';

const FORMATS = ['table', 'json', 'yaml', 'markdown'] as const;

/** runDoctor is `ipo doctor`: exit 1 when a check fails, or under `--strict` when one warns. */
export async function runDoctor(
  options: DoctorOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table');
  const { isData, isService, kubeconfig } = subjectsOf(options, terminal);
  const parts = openParts(terminal);
  if (options.bundle !== undefined) await assertNew(options.bundle, parts, options.force === true);
  const now = parts.clock.now();
  const { data, config } = options;
  const checks: CheckResult[] = [];
  let service: Awaited<ReturnType<typeof examineService>> | null = null;
  if (isService) {
    service = await examineService(options, terminal);
    checks.push(...service.checks);
  }
  if (kubeconfig !== undefined) {
    const { context, namespace } = options;
    const facts = await examineCluster({ kubeconfig, context, namespace }, VERSION);
    checks.push(...examine(CLUSTER_CHECKS, 'cluster', facts, now));
  }
  if (isData)
    checks.push(...examine(DATA_CHECKS, 'data', await examineData({ config, data }, terminal.env), now));
  if (options.for !== undefined)
    checks.push(...(await examineUpgrade(options.for, options, service, terminal)));
  const report = worstFirst(toReport(checks));
  const { state, counts } = report;
  const body = { version: VERSION, state, counts, checks, total: checks.length };
  const forms = {
    table: () => toText(report, options.all === true, terminal),
    json: () => `${JSON.stringify(body)}\n`,
    yaml: () => toYaml(body),
    markdown: () => toMarkdown(report, options.all === true),
  };
  await writeOutputs(targets, (format) => forms[format](), parts, terminal);
  if (options.bundle !== undefined) {
    await parts.writeFile(
      options.bundle,
      bundleOf({ body, health: service?.health ?? null, now, env: terminal.env }),
    );
    if (!globals.quiet)
      terminal.err(`ipo: wrote ${options.bundle}; look through it before you send it to others\n`);
  }
  return state === 'fail' || (options.strict === true && state === 'warn') ? EXIT.check : EXIT.done;
}

interface Subjects {
  readonly isData: boolean;
  readonly isService: boolean;
  /** Of the cluster to examine; undefined where none is meant. */
  readonly kubeconfig: string | undefined;
}

/** What is examined. A kubeconfig that no flag asks for gives way to a service that is known. Throws UsageError. */
function subjectsOf(options: DoctorOptions, terminal: Terminal): Subjects {
  const { server, data, config, namespace, context } = options;
  const isData = data !== undefined || config !== undefined;
  const isCluster = (options.kubeconfig ?? namespace ?? context) !== undefined;
  const kubeconfig = isCluster ? findKubeconfig(options.kubeconfig, terminal) : undefined;
  if (server !== undefined) return { isData, isService: true, kubeconfig };
  if (isData || isCluster) return { isData, isService: false, kubeconfig };
  if (knowsService(terminal)) return { isData, isService: true, kubeconfig };
  const named = kubeconfigNamed(terminal);
  if (named === undefined)
    throw new UsageError(
      'nothing to examine',
      'Sign in with `ipo login SERVER`, or give --server URL, --kubeconfig FILE or --data DIR',
    );
  return { isData, isService: false, kubeconfig: named };
}
