import type { ServiceClient } from '../../../src/app/index.ts';
import { isIpoError } from '../../../src/base/index.ts';
import { loadAuthoring } from '../../../src/policy/index.ts';
import { clean } from '../../terminal/clean.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { askWhatIf } from '../../whatif/ask.ts';
import { renderDifference } from '../../whatif/difference.ts';
import { renderComparison } from '../diff-view.ts';
import type { Plan, Shown } from './apply-report.ts';
import { invalidNote } from './invalid.ts';
import { inForce, meansTheSame } from './plan.ts';

/** Showing is what plans are shown with. */
export interface Showing {
  readonly service: ServiceClient;
  readonly terminal: Terminal;
  readonly globals: GlobalOptions;
  /** Whether the what-if of each changed policy is asked for. */
  readonly whatif: boolean;
  /** Whether nothing is written afterwards. */
  readonly dryRun: boolean;
}

/** showPlan shows what a plan changes: beside the policy that is there, and by its what-if. */
export async function showPlan(plan: Plan, asked: Showing): Promise<Shown> {
  const { service, terminal, globals } = asked;
  const { policy, stored, wording } = plan;
  const lines = wording.map((line) => `  ${line}\n`).join('');
  const invalid = stored === null ? '' : invalidNote(stored.body);
  // Nothing decides under its name, so there is nothing to compare with.
  if (stored?.body.invalid?.in_effect === false) return told(invalid);
  if (meansTheSame(plan)) {
    // Its verdicts stay the same, so no what-if is needed.
    return told(`${invalid}${clean(policy.policy.name)} means the same; only its document changes\n${lines}`);
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
    text =
      invalid + renderComparison(comparison, values, color, asked.dryRun ? 'would change' : 'will change');
  }
  if (lines !== '') text += `The document also changes\n${lines}`;
  if (!asked.whatif) return { text, comparison, whatIf: null };
  const found = await difference(plan, asked, color);
  return { text: `${text}${found.text}\n`, comparison, whatIf: found.result };
}

/** What the service cannot tell now must not keep anybody from applying; it is said. */
async function difference(
  { policy, stored }: Plan,
  { service, terminal }: Showing,
  color: boolean,
): Promise<{ readonly text: string; readonly result: unknown }> {
  try {
    const { result } = await askWhatIf(service, {
      policy: policy.written,
      source: stored?.body.name,
      keep: false,
    });
    return { text: await renderDifference(result, { color, columns: terminal.columns }), result };
  } catch (error) {
    if (!isIpoError(error) || !['rate_limited', 'unavailable'].includes(error.code)) throw error;
    const text = `The what-if of the last 30 days is not known: ${clean(error.message)}.\n`;
    return { text, result: null };
  }
}

/** told is a plan of which there is nothing but words. */
export function told(text: string): Shown {
  return { text, comparison: null, whatIf: null };
}
