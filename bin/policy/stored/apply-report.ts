import type { StoredPolicyBody } from '../../../src/api/contract/policies.ts';
import type { ParsedPolicy } from '../../../src/policy/index.ts';
import { writeOutputs, type OutputTarget } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { unsetAsNull } from '../diff-view.ts';

/** Plan is a policy of a file beside what the service has. */
export interface Plan {
  readonly policy: ParsedPolicy;
  /** Null where it is new. */
  readonly stored: { readonly body: StoredPolicyBody; readonly etag: string } | null;
  /** Where the documents differ beyond what `policy diff` compares: labels, annotations, and the spelling of one meaning. */
  readonly wording: readonly string[];
}

/** Outcome is what became of a policy: `would_…` in a dry run. */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'would_create' | 'would_update' | 'not_applied';

/** Shown is what is told of a plan before it is written: in words, and as the JSON of the command has it. */
export interface Shown {
  readonly text: string;
  /** As `ipo policy diff -o json`; null where there is nothing to compare with, or the meaning stays. */
  readonly comparison: unknown;
  /** As `ipo whatif -o json`; null where it was not asked, or is not known. */
  readonly whatIf: unknown;
}

type Targets = readonly OutputTarget<'table' | 'json' | 'yaml'>[];

/** ApplyReport tells on a terminal what is found at once, since a person is asked about it; and everything at the end in the other forms. */
export class ApplyReport {
  readonly #targets: Targets;
  readonly #terminal: Terminal;
  readonly #isLive: boolean;
  readonly #items = new Map<Plan, Readonly<Record<string, unknown>>>();
  #text = '';

  constructor(targets: Targets, terminal: Terminal) {
    this.#targets = targets;
    this.#terminal = terminal;
    this.#isLive = targets.some(({ format, path }) => format === 'table' && path === null);
  }

  shown(plan: Plan, outcome: Outcome, { text, comparison, whatIf }: Shown): void {
    const { name, revision } = plan.policy.policy;
    const document = plan.wording;
    this.#items.set(plan, { name, outcome, revision, document, comparison, what_if: whatIf });
    this.#say(text);
  }

  written(plan: Plan, outcome: Outcome, text: string): void {
    this.#items.set(plan, { ...this.#items.get(plan), outcome });
    this.#say(`${text}\n`);
  }

  async end(): Promise<void> {
    const items = [...this.#items.values()];
    const body: unknown = JSON.parse(JSON.stringify({ items, total: items.length }, unsetAsNull));
    const forms = {
      table: () => this.#text,
      json: () => `${JSON.stringify(body)}\n`,
      yaml: async () => (await import('../../../src/render/index.ts')).toYaml(body),
    };
    const left = this.#targets.filter(({ format, path }) => format !== 'table' || path !== null);
    await writeOutputs(left, (format) => forms[format](), openParts(this.#terminal), this.#terminal);
  }

  #say(text: string): void {
    this.#text += text;
    if (this.#isLive) this.#terminal.out(text);
  }
}
