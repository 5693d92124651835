import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const DATA = new URL('../../../shared/data/trivy/', import.meta.url);

/** noData is why tests with real reports skip, or false. */
export const noData = existsSync(DATA) ? false : 'the shared data is not here';

/** realReport gives the path of a real report of Trivy. */
export function realReport(name: string): string {
  return fileURLToPath(new URL(name, DATA));
}

/** MODES are what the stand-in does with a report; see stand-in-trivy.cjs. */
export const MODES = [
  ...(['report', 'slow', 'wait', 'moves'] as const),
  ...(['hang', 'family', 'orphan', 'truncate', 'killed', 'status', 'empty', 'garbage', 'flood'] as const),
  ...(['fail', 'panic', 'foreign', 'files', 'incomplete'] as const),
] as const;

/** Mode is one of them. */
export type Mode = (typeof MODES)[number];

/** GOOD_MODES end with a whole report. */
export const GOOD_MODES: readonly Mode[] = ['report', 'slow', 'wait', 'moves'];

/** Plan is what the stand-in does from now on. */
export interface Plan {
  /** Path of the report that it replays. */
  readonly report: string;
  /** What it does with it; see stand-in-trivy.cjs. */
  readonly mode?: Mode;
  /** Reports of single images, by reference. */
  readonly reports?: Readonly<Record<string, string>>;
  /** The same by repository, or by reference. */
  readonly images?: Readonly<Record<string, Mode>>;
  /** What it says when it fails, and by repository. */
  readonly said?: string;
  readonly saids?: Readonly<Record<string, string>>;
  /** What it says when a download fails. */
  readonly download?: string;
  /** Whether it fetches the image first, from where and by the settings that it is given, as Trivy does. */
  readonly fetches?: boolean;
  readonly version?: string;
  /** When the database that a download brings was made. */
  readonly database?: string;
  readonly createdAt?: string;
  /** Milliseconds. */
  readonly delay?: number;
}

/** Call is one call of the stand-in. */
export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The config.json of Docker that it was given. */
  readonly docker: unknown;
  readonly cwd: string;
  readonly pid: number;
}

/** StandIn is a program `trivy` in a directory of its own. */
export interface StandIn {
  readonly program: string;
  /** For what a scanner keeps. */
  readonly directory: string;
  plan(plan: Plan): void;
  /** What waits goes on. */
  go(): void;
  calls(): readonly Call[];
  /** Calls that scan an image. */
  scans(): readonly Call[];
}

/** standInTrivy makes one; it goes with its test. */
export function standInTrivy(t: Pick<TestContext, 'after'>, plan: Plan): StandIn {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-trivy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return standInAt(folder, plan);
}

/** standInAt makes one in a directory that is there. */
export function standInAt(folder: string, first: Plan): StandIn {
  const program = join(folder, 'trivy');
  const main = resolve(import.meta.dirname, 'stand-in-trivy.cjs');
  mkdirSync(join(folder, 'scanner'), { recursive: true });
  const node = process.execPath;
  writeFileSync(program, `#!${node}\nrequire(${JSON.stringify(main)}).main(${JSON.stringify(folder)});\n`);
  chmodSync(program, 0o755);
  const calls = (): Call[] =>
    existsSync(join(folder, 'calls.ndjson'))
      ? readFileSync(join(folder, 'calls.ndjson'), 'utf8')
          .split('\n')
          .slice(0, -1) // a line that has no end yet is being written
          .map((line) => JSON.parse(line) as Call)
      : [];
  const standIn: StandIn = {
    program,
    directory: join(folder, 'scanner'),
    plan: (plan) => writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan)),
    go: () => writeFileSync(join(folder, 'go'), ''),
    calls,
    scans: () =>
      calls().filter(({ args }) => args[0] === 'image' && !args.some((arg) => arg.startsWith('--download'))),
  };
  standIn.plan(first);
  return standIn;
}
