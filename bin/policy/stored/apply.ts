import type {
  RevisionBody,
  StoredPolicyBody,
  WrittenPolicyBody,
} from '../../../src/api/contract/policies.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { isIpoError } from '../../../src/base/index.ts';
import {
  loadAuthoring,
  parsePolicyValue,
  parseRecordedPolicy,
  type ParsedPolicy,
} from '../../../src/policy/index.ts';
import { counted } from '../../../src/render/index.ts';
import type { PolicyApplyOptions } from './index.ts';
import { clean } from '../../terminal/clean.ts';
import { confirm, holdConfirmable } from '../../terminal/confirm.ts';
import { documentDifference } from '../../terminal/document-difference.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { inEffectNote } from './in-effect.ts';
import { parseOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import { invalidNote } from './invalid.ts';
import { ApplyReport, type Outcome, type Plan, type Shown } from './apply-report.ts';
import { renderComparison } from '../diff-view.ts';
import { checkStdin, readPolicies, withDirectories } from '../../files/index.ts';
import { withService } from '../../service/client.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { renderDifference } from '../../whatif/difference.ts';
import { askWhatIf } from '../../whatif/ask.ts';

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
  if (asks)
    holdConfirmable(
      terminal,
      options.yes === true,
      'ipo policy apply',
      ', or --dry-run to see the difference',
    );
  const policies = await readAll(paths, terminal);
  const report = new ApplyReport(targets, terminal);
  return withService(terminal, options, async (service) => {
    const plans: Plan[] = [];
    for (const policy of policies) plans.push(toPlan(policy, await find(service, policy.policy.name)));
    const due = plans.filter(
      (plan) =>
        plan.wording.length > 0 || !meansTheSame(plan) || (plan.stored?.body.invalid ?? null) !== null,
    );
    for (const plan of plans) {
      if (!due.includes(plan))
        report.shown(plan, 'unchanged', told(`${clean(plan.policy.policy.name)} is unchanged\n`));
    }
    for (const plan of due) report.shown(plan, plannedOf(plan, asks), await show(plan, service));
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

  async function show(plan: Plan, service: ServiceClient): Promise<Shown> {
    const { policy, stored, wording } = plan;
    const lines = wording.map((line) => `  ${line}\n`).join('');
    const invalid = stored === null ? '' : invalidNote(stored.body);
    // Nothing decides under its name, so there is nothing to compare with.
    if (stored?.body.invalid?.in_effect === false) return told(invalid);
    if (meansTheSame(plan)) {
      // Its verdicts stay the same, so no what-if is needed.
      return told(
        `${invalid}${clean(policy.policy.name)} means the same; only its document changes\n${lines}`,
      );
    }
    const color = usesColor(terminal, globals, 'out');
    const { comparePolicies, ...values } = await loadAuthoring();
    let comparison: ReturnType<typeof comparePolicies> | null = null;
    let text = `${invalid}${clean(policy.policy.name)} is new on ${service.server}\n`;
    if (stored !== null) {
      comparison = comparePolicies(
        { file: service.server, policies: [inForce(stored.body, policy)] },
        { file: policy.places.file, policies: [policy] },
      );
      text = invalid + renderComparison(comparison, values, color);
    }
    if (lines !== '') text += `The document also changes\n${lines}`;
    if (!options.whatif) return { text, comparison, whatIf: null };
    const asked = await difference(plan, service, color);
    return { text: `${text}${asked.text}\n`, comparison, whatIf: asked.result };
  }

  /** What the service cannot tell now must not keep anybody from applying; it is said. */
  async function difference(
    { policy, stored }: Plan,
    service: ServiceClient,
    color: boolean,
  ): Promise<{ readonly text: string; readonly result: unknown }> {
    try {
      const asked = { policy: policy.written, source: stored?.body.name, keep: false };
      const { result } = await askWhatIf(service, asked);
      return { text: await renderDifference(result, { color, columns: terminal.columns }), result };
    } catch (error) {
      if (!isIpoError(error) || !['rate_limited', 'unavailable'].includes(error.code)) throw error;
      const text = `The what-if of the last 30 days is not known: ${clean(error.message)}.\n`;
      return { text, result: null };
    }
  }

  function say(text: string): void {
    if (!globals.quiet) terminal.err(`ipo: ${text}\n`);
  }
}

function told(text: string): Shown {
  return { text, comparison: null, whatIf: null };
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

function toPlan(policy: ParsedPolicy, stored: Plan['stored']): Plan {
  if (stored === null) return { policy, stored, wording: [] };
  const { document, revision } = stored.body;
  const before = document as Json;
  // As the service would keep it, and through JSON as it would come to it.
  const after = JSON.parse(JSON.stringify(parsePolicyValue(policy.written).document)) as Json;
  const same = revision === policy.policy.revision;
  const wording = documentDifference(same ? before : beyondSpec(before), same ? after : beyondSpec(after));
  return { policy, stored, wording };
}

type Json = Readonly<Record<string, unknown>>;

function beyondSpec({ spec: _spec, ...rest }: Json): Json {
  return rest;
}

function meansTheSame({ policy, stored }: Plan): boolean {
  return stored?.body.revision === policy.policy.revision;
}

async function find(service: ServiceClient, name: string): Promise<Plan['stored']> {
  try {
    const { body, headers } = await service.json<StoredPolicyBody>('GET /policies/{name}', {
      params: { name },
    });
    return { body: await comparable(service, body), etag: headers['etag'] ?? '' };
  } catch (error) {
    if (isIpoError(error) && error.code === 'not_found') return null;
    throw error;
  }
}

/** An invalid document is compared by what is in effect in its place. */
async function comparable(service: ServiceClient, body: StoredPolicyBody): Promise<StoredPolicyBody> {
  const { name, revision, invalid } = body;
  if (invalid === null || revision === '') return body;
  const key = 'GET /policies/{name}/revisions/{revision}';
  const { document } = (await service.json<RevisionBody>(key, { params: { name, revision } })).body;
  return { ...body, document };
}

/** A document of an earlier release is compared by what of it is known today. */
function inForce({ name, revision, document }: StoredPolicyBody, beside: ParsedPolicy): ParsedPolicy {
  const policy = parseRecordedPolicy(document, name, revision);
  return policy === null ? { ...beside, policy: { ...beside.policy, revision } } : { ...beside, policy };
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
