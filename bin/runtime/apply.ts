import type { ServiceClient } from '../../src/app/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { confirm, holdConfirmable } from '../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { withService } from '../service/client.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ApplyOptions are the flags of the commands that put files in effect at a service. */
export interface ApplyOptions extends ServiceFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly exitCode?: true;
  readonly output: readonly string[];
}

/** PlannedChange is one thing of a file beside what the service has. */
export interface PlannedChange {
  readonly name: string;
  readonly kind: 'created' | 'updated' | 'deleted' | 'moved' | 'unchanged';
  /** What differs, a line each, cleaned. */
  readonly lines: readonly string[];
}

/** Step is one write to the service, and the changes that it makes. */
export interface Step {
  readonly changes: readonly PlannedChange[];
  write(): Promise<unknown>;
}

/** Plan is all that would be changed, and the writes that change it. */
export interface Plan {
  readonly changes: readonly PlannedChange[];
  steps(due: readonly PlannedChange[]): readonly Step[];
}

/** Applied is how a command that applies is called, and what it applies. */
export interface Applied {
  readonly command: string;
  readonly one: string;
  readonly many: string;
}

const WOULD = {
  created: 'would_create',
  updated: 'would_update',
  deleted: 'would_delete',
  moved: 'would_move',
} as const;

/** runApply reads files, compares what they hold with what the service has, shows it, asks, and writes exactly what was compared. */
export async function runApply(
  { command, one, many }: Applied,
  read: () => Promise<(service: ServiceClient) => Promise<Plan>>,
  options: ApplyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const asks = options.dryRun !== true;
  if (asks && options.exitCode) throw new UsageError('--exit-code needs --dry-run', 'Add --dry-run');
  const outcome = openOutcome(options.output, terminal);
  const toPlan = await read();
  if (asks) holdConfirmable(terminal, options.yes === true, command, ', or --dry-run to see the difference');
  return withService(terminal, options, async (service) => {
    const plan = await toPlan(service);
    const due = plan.changes.filter(({ kind }) => kind !== 'unchanged');
    const written = new Set<PlannedChange>();
    const finish = async (code: ExitCode): Promise<ExitCode> => {
      const items = plan.changes.map((change) => {
        const { name, kind, lines } = change;
        const done = written.has(change) || kind === 'unchanged';
        if (done) return { name, outcome: kind, changes: lines };
        return { name, outcome: asks ? 'not_applied' : WOULD[kind], changes: lines };
      });
      const told = plan.changes.filter((change) => change.kind === 'unchanged' || written.has(change));
      const text = told.map(({ name, kind }) => `${clean(name)} ${PAST[kind]}\n`).join('');
      await outcome.write({ items, total: items.length }, (asks ? '' : shown) + text);
      return code;
    };
    const shown = due.map(toText).join('');
    if (due.length === 0) return finish(EXIT.done);
    if (!asks) return finish(options.exitCode === true ? EXIT.check : EXIT.done);
    // Before anybody is asked; what is written to stdout is only what was done.
    if (outcome.isText || options.yes !== true) terminal.err(shown);
    const what = counted(due.length, one, many);
    if (options.yes !== true && !(await confirm(`Put ${what} in effect on ${service.server}?`, terminal))) {
      if (!globals.quiet) terminal.err('ipo: nothing was applied\n');
      return finish(EXIT.check);
    }
    try {
      for (const step of plan.steps(due)) {
        await step.write();
        for (const change of step.changes) written.add(change);
      }
    } catch (error) {
      if (written.size > 0 && !globals.quiet)
        terminal.err(`ipo: ${written.size} of ${what} applied; the others were not applied\n`);
      throw error;
    }
    return finish(EXIT.done);
  });
}

const PAST: Readonly<Record<PlannedChange['kind'], string>> = {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  moved: 'moved',
  unchanged: 'is unchanged',
};

function toText({ name, kind, lines }: PlannedChange): string {
  return `${clean(name)} would be ${kind}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
