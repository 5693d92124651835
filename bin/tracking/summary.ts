import type { SummaryBody } from '../../src/api/contract/tracking.ts';
import {
  ANSWER_FORMATS,
  markdownLines,
  tableLines,
  writeAnswer,
  type AnswerViews,
} from '../terminal/answer.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import type { Paint } from '../terminal/paint.ts';
import type { ServiceFlags } from '../service/index.ts';

/** TrackingSummaryOptions are the flags of `ipo tracking summary`. */
export interface TrackingSummaryOptions extends ServiceFlags {
  readonly from?: string;
  readonly to?: string;
  readonly output: readonly string[];
}

/** runTrackingSummary is `ipo tracking summary`. */
export async function runTrackingSummary(
  { from, to, output, ...options }: TrackingSummaryOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(output, ANSWER_FORMATS, 'table');
  const answer = await withService(terminal, options, (service) =>
    service.json<SummaryBody>('GET /tracking/summary', { query: { from, to } }),
  );
  await writeAnswer(targets, answer, summaryViews(answer.body), terminal, globals);
  return EXIT.done;
}

/** summaryViews draw a summary. */
function summaryViews(summary: SummaryBody): AnswerViews {
  const columns = [
    { heading: 'findings', text: ({ name }: Line) => name },
    { heading: 'count', text: ({ count }: Line) => String(count) },
  ];
  const lines = summaryLines(summary);
  const head = `${shortMoment(summary.from)} to ${shortMoment(summary.to)}, window ${summary.window ?? 'not declared'}`;
  const state = (text: string): string => `remediation windows: ${text}. ${summary.remediation.sentence}`;
  return {
    table: (paint) => [
      head,
      '',
      ...tableLines(paint, columns, lines),
      '',
      state(paintState(summary.remediation.state, paint)),
    ],
    markdown: () => [head, '', ...markdownLines(columns, lines), '', state(summary.remediation.state)],
  };
}

interface Line {
  readonly name: string;
  readonly count: number;
}

function summaryLines(summary: SummaryBody): readonly Line[] {
  const { closed, fixed_inside, fixed_late, open_past_window } = summary;
  const windowed = (name: string, count: number | null): readonly Line[] =>
    count === null ? [] : [{ name, count }];
  return [
    { name: 'raised', count: summary.opened },
    { name: 'fixed', count: closed.fixed },
    ...windowed('  inside the window', fixed_inside),
    ...windowed('  late', fixed_late),
    { name: 'triaged', count: closed.triaged },
    { name: 'image_retired', count: closed.image_retired },
    { name: '  replaced by an image without the CVE', count: summary.retired_replaced },
    { name: 'open', count: summary.still_open },
    ...windowed('  for longer than the window', open_past_window),
    { name: 'came back', count: summary.returned },
  ];
}

function paintState(state: SummaryBody['remediation']['state'], { chalk }: Paint): string {
  const colour = { met: chalk.green, partial: chalk.yellow, gap: chalk.red }[state];
  return colour(state);
}
