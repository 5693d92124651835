import { IpoError } from '../../src/base/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import { readEventLines, RuntimeReplay, type RuntimeWhatIf } from '../../src/runtime/index.ts';
import { checkStdin } from '../files/index.ts';
import { withService } from '../service/client.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { openPaint } from '../terminal/paint.ts';
import { openParts } from '../terminal/parts.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { readDraft, type ReadDraft } from './read-draft.ts';
import { toHtml, toMarkdown, toTable } from './whatif-view.ts';
import type { ServiceFlags } from '../service/index.ts';

/** RuntimeWhatIfOptions are the flags of `ipo runtime whatif`. */
export interface RuntimeWhatIfOptions extends ServiceFlags {
  readonly days?: string;
  readonly events?: string;
  readonly failOnStops?: true;
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'yaml', 'markdown', 'html'] as const;
/** MAX_EVENTS is how many bytes a file of events may have. */
export const MAX_EVENTS = 512 * 1_048_576;
/** As `runtime.maxStops` of the service has it unless it is set. */
const MAX_STOPS = 10;
const FAULTS_SHOWN = 5;

/** runRuntimeWhatIf is `ipo runtime whatif`. */
export async function runRuntimeWhatIf(
  file: string,
  options: RuntimeWhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { events: path } = options;
  checkStdin([file, path]);
  const targets = parseOutputs(options.output, FORMATS, 'table', [file, path]);
  if (path !== undefined && options.days !== undefined)
    throw new UsageError(
      '--days and --events exclude each other',
      'A file is replayed whole; --days is for the events that a service has stored',
    );
  const parts = openParts(terminal);
  const { rules, policies } = await readDraft(file, parts);
  const draft = { rules, policies };
  const result =
    path === undefined
      ? await replayAtService(draft, options, terminal)
      : replayFile(draft, path, await parts.readText(path, MAX_EVENTS), terminal, globals);
  await writeOutputs(
    targets,
    (format, toStdout) => render(format, result, terminal, globals, toStdout),
    parts,
    terminal,
  );
  return options.failOnStops === true && result.stops > 0 ? EXIT.check : EXIT.done;
}

function replayFile(
  { rules, policies }: ReadDraft,
  path: string,
  text: string,
  terminal: Terminal,
  globals: GlobalOptions,
): RuntimeWhatIf {
  const { events, faults } = readEventLines(text);
  if (events.length === 0)
    throw new IpoError('empty', 'no event could be read', {
      place: { file: path, ...(faults[0] !== undefined && { line: faults[0].line }) },
      hint: 'Give the lines that Falco writes with json_output: true',
    });
  if (!globals.quiet) {
    for (const { line, fault } of faults.slice(0, FAULTS_SHOWN))
      terminal.err(`ipo: line ${line} is left out: ${fault}\n`);
    if (faults.length > FAULTS_SHOWN)
      terminal.err(`ipo: ${counted(faults.length - FAULTS_SHOWN, 'more line')} left out\n`);
  }
  const replay = new RuntimeReplay(
    { rules: rules ?? [], policies },
    { maxStops: MAX_STOPS, ownNamespace: null },
    true,
  );
  for (const event of events) replay.take(event);
  return replay.result();
}

/** What the file leaves out, rules or runtime policies, is as it stands at the service. */
function replayAtService(
  { rules, policies }: ReadDraft,
  options: RuntimeWhatIfOptions,
  terminal: Terminal,
): Promise<RuntimeWhatIf> {
  const days = parseWhole('--days', options.days ?? '7', 1, 90, 'the number of days');
  const body = {
    ...(rules !== null && { rules }),
    ...(policies.length > 0 && { policies: policies.map(({ document }) => document) }),
    days,
  };
  return withService(terminal, options, async (service) => {
    return (await service.json<RuntimeWhatIf>('POST /runtime/whatif', { body })).body;
  });
}

async function render(
  format: (typeof FORMATS)[number],
  result: RuntimeWhatIf,
  terminal: Terminal,
  globals: GlobalOptions,
  toStdout: boolean,
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(result)}\n`;
    case 'yaml':
      return toYaml(result);
    case 'markdown':
      return toMarkdown(result);
    case 'html':
      return toHtml(result);
    case 'table': {
      const color = toStdout && usesColor(terminal, globals, 'out');
      const paint = await openPaint({
        color,
        columns: terminal.columns,
        whole: !(toStdout && terminal.tty.out),
      });
      return toTable(result, paint);
    }
  }
}
