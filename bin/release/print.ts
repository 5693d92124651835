import { toYaml } from '../../src/render/index.ts';
import { releaseBody, RELEASES, releasesBody, type Release } from '../../src/releases/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { renderRows } from '../terminal/rows.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { releasesIn, theRelease } from './find.ts';
import { toLines, toMarkdown, toSummary } from './view.ts';

/** ReleaseOptions are the flags of the commands that only print. */
export interface ReleaseOptions {
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'yaml'] as const;

/** runReleaseList is `ipo release list`. */
export function runReleaseList({ output }: ReleaseOptions, terminal: Terminal): Promise<ExitCode> {
  return write(output, releasesBody(), () => table(RELEASES, terminal), terminal);
}

/** runReleaseShow is `ipo release show`. Exit 1 when there is no such release. */
export async function runReleaseShow(
  version: string,
  { output }: ReleaseOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const release = theRelease(version);
  return write(output, releaseBody(release), () => toLines(release, terminal), terminal);
}

/** runReleaseNotes is `ipo release notes`. */
export async function runReleaseNotes(
  range: string,
  { output }: ReleaseOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(output, ['markdown', ...FORMATS], 'markdown');
  const releases = releasesIn(range);
  const body = releasesBody(releases);
  const forms = {
    markdown: () => toMarkdown(releases),
    table: () => table(releases, terminal),
    json: () => `${JSON.stringify(body)}\n`,
    yaml: () => toYaml(body),
  };
  await writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
  return EXIT.done;
}

async function write(
  output: readonly string[],
  body: object,
  text: () => Promise<string> | string,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(output, FORMATS, 'table');
  const forms = { table: text, json: () => `${JSON.stringify(body)}\n`, yaml: () => toYaml(body) };
  await writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
  return EXIT.done;
}

function table(releases: readonly Release[], terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'version' },
    { heading: 'date' },
    { heading: 'migrations' },
    { heading: 'chart' },
    { heading: 'what it changed', flex: 1 },
  ];
  const rows = releases.map((release) => toSummary(release));
  return renderRows(columns, rows, 'No release.', terminal);
}
