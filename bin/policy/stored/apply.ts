import type { WrittenPolicyBody } from '../../../src/api/contract/policies.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import type { ParsedPolicy } from '../../../src/policy/index.ts';
import { counted } from '../../../src/render/index.ts';
import { checkStdin, readPolicies, withDirectories } from '../../files/index.ts';
import { withService } from '../../service/client.ts';
import { clean } from '../../terminal/clean.ts';
import { confirm, holdConfirmable } from '../../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { ApplyReport, type Outcome, type Plan } from './apply-report.ts';
import { inEffectNote } from './in-effect.ts';
import { findStored, meansTheSame, toPlan } from './plan.ts';
import { showPlan, told } from './show-plan.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** PolicyApplyOptions are the flags of `ipo policy apply`. */
export interface PolicyApplyOptions extends ServiceFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly exitCode?: true;
  readonly output: readonly string[];
  /** False with `--no-whatif`. */
  readonly whatif: boolean;
}

/** runPolicyApply is `ipo policy apply`: compare, show, ask, write exactly what was compared. */
export async function runPolicyApply(
  paths: readonly string[],
  options: PolicyApplyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const asks = options.dryRun !== true;
  if (asks && options.exitCode) throw new UsageError('--exit-code needs --dry-run', 'Add --dry-run');
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml'], 'table', paths);
  checkStdin([...paths, options.tokenStdin === true ? '-' : undefined]);
  const policies = await readAll(paths, terminal);
  if (asks)
    holdConfirmable(
      terminal,
      options.yes === true,
      'ipo policy apply',
      ', or --dry-run to see the difference',
    );
  const report = new ApplyReport(targets, terminal);
  return withService(terminal, options, async (service) => {
    const plans: Plan[] = [];
    for (const policy of policies) plans.push(toPlan(policy, await findStored(service, policy.policy.name)));
    const due = plans.filter(
      (plan) =>
        plan.wording.length > 0 || !meansTheSame(plan) || (plan.stored?.body.invalid ?? null) !== null,
    );
    for (const plan of plans) {
      if (!due.includes(plan))
        report.shown(plan, 'unchanged', told(`${clean(plan.policy.policy.name)} is unchanged\n`));
    }
    for (const plan of due)
      report.shown(
        plan,
        plannedOf(plan, asks),
        await showPlan(plan, { service, terminal, globals, whatif: options.whatif, dryRun: !asks }),
      );
    try {
      return await settle(service, due);
    } finally {
      await report.end();
    }
  });

  async function settle(service: ServiceClient, due: readonly Plan[]): Promise<ExitCode> {
    if (due.length === 0) return EXIT.done;
    if (!asks) return options.exitCode ? EXIT.check : EXIT.done;
    const what = counted(due.length, 'policy', 'policies');
    if (options.yes !== true && !(await confirm(`Put ${what} in effect on ${service.server}?`, terminal))) {
      say('nothing was applied');
      return EXIT.check;
    }
    let written = 0;
    try {
      for (const plan of due) {
        report.written(plan, ...(await write(service, plan)));
        written += 1;
      }
    } catch (error) {
      if (written > 0) say(`${written} of ${what} applied; the others were not applied`);
      throw error;
    }
    return EXIT.done;
  }

  function say(text: string): void {
    if (!globals.quiet) terminal.err(`ipo: ${text}\n`);
  }
}

/** What becomes of a plan for as long as nothing was written. */
function plannedOf({ stored }: Plan, asks: boolean): Outcome {
  if (asks) return 'not_applied';
  return stored === null ? 'would_create' : 'would_update';
}

async function readAll(paths: readonly string[], terminal: Terminal): Promise<readonly ParsedPolicy[]> {
  const parts = openParts(terminal);
  const policies: ParsedPolicy[] = [];
  for (const path of await withDirectories(paths, 'policy', parts))
    policies.push(...(await readPolicies(path, parts)));
  const places = new Map<string, string>();
  for (const { policy, places: at } of policies) {
    const first = places.get(policy.name);
    if (first !== undefined) {
      throw new UsageError(
        `${at.file}: the policy ${policy.name} stands in ${first} too`,
        'Give each policy only once',
      );
    }
    places.set(policy.name, at.file);
  }
  return policies;
}

async function write(service: ServiceClient, { policy, stored }: Plan): Promise<[Outcome, string]> {
  const { name } = policy.policy;
  const { body, headers } =
    stored === null
      ? await service.json<WrittenPolicyBody>('POST /policies', { body: policy.written })
      : await service.json<WrittenPolicyBody>('PUT /policies/{name}', {
          params: { name },
          headers: { 'if-match': stored.etag },
          body: policy.written,
        });
  const said = `(revision ${body.revision.slice(0, 12)})${inEffectNote(headers)}`;
  if (stored === null) return ['created', clean(`${name} created ${said}`)];
  if (body.changed) return ['updated', clean(`${name} updated ${said}`)];
  return ['unchanged', clean(`${name} is unchanged ${said}`)];
}
