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
import { documentDifference } from './document-difference.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { inEffectNote } from './in-effect.ts';
import { openParts } from '../../terminal/parts.ts';
import { invalidNote } from './invalid.ts';
import { renderComparison } from '../diff-view.ts';
import { checkStdin, readPolicies } from '../../files/index.ts';
import { withService } from '../../service/client.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { renderDifference } from '../../whatif/difference.ts';
import { askWhatIf } from '../../whatif/ask.ts';

/** Plan is a policy of a file beside what the service has. */
interface Plan {
  readonly policy: ParsedPolicy;
  /** Null where it is new. */
  readonly stored: { readonly body: StoredPolicyBody; readonly etag: string } | null;
  /** Where the documents differ beyond what `policy diff` compares: labels, annotations, and the spelling of one meaning. */
  readonly wording: readonly string[];
}

/** runPolicyApply is `ipo policy apply`: compare, show, ask, write exactly what was compared. */
export async function runPolicyApply(
  paths: readonly string[],
  options: PolicyApplyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const asks = options.dryRun !== true;
  checkStdin([...paths, options.tokenStdin === true ? '-' : undefined]);
  if (asks)
    holdConfirmable(
      terminal,
      options.yes === true,
      'ipo policy apply',
      ', or --dry-run to see the difference',
    );
  const policies = await readAll(paths, terminal);
  return withService(terminal, options, async (service) => {
    const plans: Plan[] = [];
    for (const policy of policies) plans.push(toPlan(policy, await find(service, policy.policy.name)));
    const due = plans.filter(
      (plan) =>
        plan.wording.length > 0 || !meansTheSame(plan) || (plan.stored?.body.invalid ?? null) !== null,
    );
    for (const plan of plans) {
      if (!due.includes(plan)) terminal.out(`${clean(plan.policy.policy.name)} is unchanged\n`);
    }
    for (const plan of due) await show(plan, service);
    if (due.length === 0 || !asks) return EXIT.done;
    const what = counted(due.length, 'policy', 'policies');
    if (options.yes !== true && !(await confirm(`Put ${what} in force on ${service.server}?`, terminal))) {
      say('nothing was applied');
      return EXIT.check;
    }
    let written = 0;
    try {
      for (const plan of due) {
        terminal.out(`${await write(service, plan)}\n`);
        written += 1;
      }
    } catch (error) {
      if (written > 0) say(`${written} of ${what} applied; the others were not`);
      throw error;
    }
    return EXIT.done;
  });

  async function show(plan: Plan, service: ServiceClient): Promise<void> {
    const { policy, stored, wording } = plan;
    const lines = wording.map((line) => `  ${line}\n`).join('');
    if (stored !== null) terminal.out(invalidNote(stored.body));
    // Nothing decides under its name, so there is nothing to compare with.
    if (stored?.body.invalid?.in_effect === false) return;
    if (meansTheSame(plan)) {
      // What it decides stays, so there is no what-if to look at.
      terminal.out(`${clean(policy.policy.name)} means the same; its document changes\n${lines}`);
      return;
    }
    const color = usesColor(terminal, globals, 'out');
    const { comparePolicies, ...values } = await loadAuthoring();
    if (stored === null) terminal.out(`${clean(policy.policy.name)} is new on ${service.server}\n`);
    else {
      const sides = [
        { file: service.server, policies: [inForce(stored.body, policy)] },
        { file: policy.places.file, policies: [policy] },
      ] as const;
      terminal.out(renderComparison(comparePolicies(...sides), values, color));
    }
    if (lines !== '') terminal.out(`Beside it the document changes\n${lines}`);
    if (options.whatif) terminal.out(`${await difference(plan, service, color)}\n`);
  }

  /** What the service cannot tell now must not keep anybody from applying; it is said. */
  async function difference(
    { policy, stored }: Plan,
    service: ServiceClient,
    color: boolean,
  ): Promise<string> {
    try {
      const asked = { policy: policy.written, source: stored?.body.name, keep: false };
      const { result } = await askWhatIf(service, asked);
      return await renderDifference(result, { color, columns: terminal.columns });
    } catch (error) {
      if (!isIpoError(error) || !['rate_limited', 'unavailable'].includes(error.code)) throw error;
      return `What the last 30 days would have been is not known: ${clean(error.message)}.\n`;
    }
  }

  function say(text: string): void {
    if (!globals.quiet) terminal.err(`ipo: ${text}\n`);
  }
}

async function readAll(paths: readonly string[], terminal: Terminal): Promise<readonly ParsedPolicy[]> {
  const parts = openParts(terminal);
  const policies: ParsedPolicy[] = [];
  for (const path of new Set(paths)) policies.push(...(await readPolicies(path, parts)));
  const places = new Map<string, string>();
  for (const { policy, places: at } of policies) {
    const first = places.get(policy.name);
    if (first !== undefined) {
      throw new UsageError(
        `${at.file}: the policy ${policy.name} stands in ${first} too`,
        'Give each policy once',
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

async function write(service: ServiceClient, { policy, stored }: Plan): Promise<string> {
  const { name } = policy.policy;
  const { body, headers } =
    stored === null
      ? await service.json<WrittenPolicyBody>('POST /policies', { body: policy.written })
      : await service.json<WrittenPolicyBody>('PUT /policies/{name}', {
          params: { name },
          headers: { 'if-match': stored.etag },
          body: policy.written,
        });
  const done = stored === null ? 'created' : body.changed ? 'updated' : 'is unchanged';
  return clean(`${name} ${done} (revision ${body.revision.slice(0, 12)})${inEffectNote(headers)}`);
}
