import { formatTime, IpoError } from '../../src/base/index.ts';
import { counted, formatCount, markdownText, toYaml } from '../../src/render/index.ts';
import { findNoise, readEventLines, type Noise, type NoiseReport } from '../../src/runtime/index.ts';
import { withService } from '../service/client.ts';
import { writeAnswer, ANSWER_FORMATS } from '../terminal/answer.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { parseSince } from '../terminal/since.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { readStoredEvents } from './stored-events.ts';
import { MAX_EVENTS } from './whatif.ts';
import type { ServiceFlags } from '../service/index.ts';

/** RuntimeTopOptions are the flags of `ipo runtime top`. */
export interface RuntimeTopOptions extends ServiceFlags {
  readonly events?: string;
  readonly namespace?: string;
  readonly since?: string;
  readonly newest: string;
  readonly limit: string;
  readonly output: readonly string[];
}

/** Rules that decide now, of each group. */
const RULES_NAMED = 3;

/** runRuntimeTop is `ipo runtime top`. */
export async function runRuntimeTop(
  options: RuntimeTopOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { events: path, namespace, since = '24h' } = options;
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table', [path]);
  const limit = parseWhole('--limit', options.limit, 1, 500, 'the number of lines');
  const most = parseWhole('--newest', options.newest, 1, 1_000_000, 'the number of events');
  const parts = openParts(terminal);
  const found =
    path === undefined
      ? await withService(terminal, options, (service) => {
          const from = formatTime(parseSince('--since', since, parts.clock.now()));
          return readStoredEvents(service, { since: from, namespace }, most);
        })
      : { ...readEventLines(await parts.readText(path, MAX_EVENTS)), total: 0 };
  if (path !== undefined && found.events.length === 0)
    throw new IpoError('empty', 'no event could be read', {
      place: { file: path },
      hint: 'Give the lines that Falco writes with json_output: true',
    });
  const report = findNoise(found.events, limit);
  if (found.total > most && !globals.quiet)
    terminal.err(
      `ipo: the newest ${formatCount(most)} of ${formatCount(found.total)} events; see --newest\n`,
    );
  const answer = { text: JSON.stringify(toBody(report)), body: toBody(report) };
  const lines = linesOf(report);
  const views = {
    table: () => lines.map((line) => clean(line, 1000)),
    markdown: () => lines.map((line) => (line.startsWith('    ') ? line : markdownText(line))),
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  return EXIT.done;
}

/** As the API names things. */
function toBody({ events, allowed, from, to, groups, items }: NoiseReport) {
  const time = (ms: number | null): string | null => (ms === null ? null : formatTime(ms));
  return {
    events,
    allowed,
    from: time(from),
    to: time(to),
    total: groups,
    items: items.map(({ last, decidedBy, ...noise }) => ({
      ...noise,
      decided_by: decidedBy,
      last: formatTime(last),
    })),
  };
}

function linesOf({ events, allowed, groups, items }: NoiseReport): readonly string[] {
  const beside = allowed === 0 ? '' : ` Rules allow ${counted(allowed, 'more event')}.`;
  if (items.length === 0) return [`No event.${beside}`];
  return [
    `${counted(events, 'event')} in ${counted(groups, 'group')} (rule and workload).${beside}`,
    ...items.flatMap((noise, i) => ['', ...linesOfOne(noise, i + 1)]),
  ];
}

function linesOfOne(noise: Noise, number: number): readonly string[] {
  const { rule, namespace, workload, events, alerts, share, decidedBy, allow, also } = noise;
  const where = `${namespace ?? '–'}/${workload}`;
  const percent = `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
  const others = also.workloads.map(
    (one) => `${one.namespace ?? '–'}/${one.workload} (${formatCount(one.events)})`,
  );
  const more =
    also.events === 0
      ? 'It would silence nothing else among these events.'
      : `It would also silence ${counted(also.events, 'other event')}${also.alerts > 0 ? `, ${counted(also.alerts, 'alert')} among them` : ''}: ${others.join(', ')}.`;
  return [
    `${number}. ${oneLine(rule)} in ${oneLine(where)}: ${counted(events, 'event')} (${percent}), ${counted(alerts, 'alert')}`,
    `   This rule would silence it${beforeOf(decidedBy)}:`,
    ...toYaml([allow])
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`),
    `   ${oneLine(more)}`,
  ];
}

/** The first rule that matches decides: where the new one has to stand. */
function beforeOf(decidedBy: Noise['decidedBy']): string {
  const named = decidedBy
    .slice(0, RULES_NAMED)
    .map(({ rule, events }) => `${oneLine(rule)} (${counted(events, 'event')})`);
  const left = decidedBy.length - named.length;
  if (left > 0) named.push(counted(left, 'other rule'));
  return named.length === 0 ? '' : `, before ${named.join(', ')}`;
}

function oneLine(text: string): string {
  return clean(text, 300);
}
