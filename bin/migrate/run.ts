import { migrateDatabase, planDatabase, type MigrationPlan } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { findDatabase } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { renderMigrations } from './view.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';

/** MigrateOptions are the flags of `ipo migrate` as commander gives them. */
export interface MigrateOptions {
  readonly database?: string;
  readonly plan?: true;
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'yaml'] as const;

/** runMigrate is `ipo migrate`. */
export async function runMigrate(
  options: MigrateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table');
  const url = findDatabase(options.database, terminal.env);
  const parts = openParts(terminal);
  const applied: string[] = [];
  const plan = options.plan
    ? await planDatabase(url)
    : await migrateDatabase(url, watchSteps(applied, terminal, globals));
  const answer = toAnswer(plan, options.plan ? null : applied);
  await writeOutputs(
    targets,
    (format, toStdout) => {
      if (format === 'json') return `${JSON.stringify(answer)}\n`;
      if (format === 'yaml') return toYaml(answer);
      const shown = options.plan
        ? plan.migrations
        : plan.migrations.filter(({ name }) => applied.includes(name));
      if (shown.length === 0) return '';
      const color = toStdout && usesColor(terminal, globals, 'out');
      return renderMigrations(clean(titleOf(plan)), shown, { color, columns: terminal.columns });
    },
    parts,
    terminal,
  );
  if (!globals.quiet) terminal.err(`ipo: ${clean(summaryOf(plan, options.plan ? null : applied.length))}\n`);
  return EXIT.done;
}

/** Where a person watches, one line that is written over; in a log, a line for each step. */
function watchSteps(applied: string[], terminal: Terminal, globals: GlobalOptions) {
  const watched = terminal.tty.err && usesColor(terminal, { ...globals, color: true }, 'err');
  const wipe = '\r\u001b[2K';
  return {
    begun: (name: string) => {
      if (watched && !globals.quiet) terminal.err(`${wipe}migrating: ${name}`);
    },
    applied: (name: string) => {
      applied.push(name);
      if (!globals.quiet) terminal.err(watched ? wipe : `ipo: ${name} applied\n`);
    },
  };
}

function titleOf({ database, engine, exists }: MigrationPlan): string {
  return `${database} (${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}${exists ? '' : ', does not exist yet'})`;
}

function summaryOf(plan: MigrationPlan, applied: number | null): string {
  const due = plan.migrations.filter(({ appliedAt }) => appliedAt === null).length;
  const { current, newest } = releasesOf(plan);
  if (applied !== null) {
    return applied === 0
      ? `up to date: release ${newest}`
      : `${counted(applied, 'migration')} applied; the database is now at release ${newest}`;
  }
  if (due === 0) return `up to date: release ${newest}`;
  const from = current === null ? 'nothing' : `release ${current}`;
  const what = `${counted(due, 'migration is', 'migrations are')} due, from ${from} to release ${newest}`;
  if (!plan.exists && plan.engine === 'postgres') return `${what}; create the database first, with createdb`;
  return `${what}; ${current === null ? '' : 'make a backup, then '}run ipo migrate`;
}

function releasesOf({ migrations }: MigrationPlan): {
  readonly current: string | null;
  readonly newest: string;
} {
  return {
    current: migrations.findLast(({ appliedAt }) => appliedAt !== null)?.release ?? null,
    newest: migrations.at(-1)?.release ?? '',
  };
}

/** `applied` lists what this run has done; of a plan it is left out. */
function toAnswer(plan: MigrationPlan, applied: readonly string[] | null) {
  const { current, newest } = releasesOf(plan);
  return {
    database: plan.database,
    engine: plan.engine,
    exists: plan.exists,
    current_release: current,
    newest_release: newest,
    due: plan.migrations.filter(({ appliedAt }) => appliedAt === null).length,
    ...(applied === null ? {} : { applied }),
    migrations: plan.migrations.map(({ name, release, summary, appliedAt }) => ({
      number: Number(name.slice(0, 4)),
      name,
      release,
      summary,
      state: appliedAt === null ? 'due' : 'applied',
      applied_at: appliedAt === null ? null : formatTime(appliedAt),
    })),
  };
}
