import type { DeliveryBody } from '../../../src/api/contract/notifications.ts';
import { counted } from '../../../src/render/index.ts';
import { withService } from '../../service/client.ts';
import type { ServiceFlags } from '../../service/index.ts';
import {
  ANSWER_FORMATS,
  markdownLines,
  tableLines,
  writeAnswer,
  type AnswerViews,
  type ViewColumn,
} from '../../terminal/answer.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import type { Paint } from '../../terminal/paint.ts';
import { parseOutputs } from '../../terminal/output.ts';
import type { PagingFlags } from '../../terminal/paging-flags.ts';
import { parsePaging } from '../../terminal/paging.ts';
import { shortMoment } from '../../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { findChannel } from '../find.ts';

/** ChannelDeliveriesOptions are the flags of `ipo channel deliveries`. */
export interface ChannelDeliveriesOptions extends ServiceFlags, PagingFlags {
  readonly state?: string;
  readonly output: readonly string[];
}

interface List {
  readonly items: readonly DeliveryBody[];
  readonly total: number;
}

/** A page of the API has no more. */
const MOST_MESSAGES = 1000;
/** Columns from which on a terminal has room for all of a message. */
const WIDE = 120;

/** runChannelDeliveries is `ipo channel deliveries`. */
export async function runChannelDeliveries(
  which: string,
  options: ChannelDeliveriesOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const query = { state: options.state, ...parsePaging(options, MOST_MESSAGES) };
  const answer = await withService(terminal, options, async (service) => {
    const { body } = await findChannel(service, which);
    return service.json<List>('GET /channels/{id}/deliveries', { params: { id: body.id }, query });
  });
  const { items, total } = answer.body;
  const count =
    items.length === total ? counted(total, 'message') : `${items.length} of ${counted(total, 'message')}`;
  const isNarrow = terminal.tty.out && terminal.columns < WIDE;
  const views: AnswerViews = {
    table: (paint) => [
      ...(items.length === 0 ? [] : tableLines(paint, isNarrow ? NARROW : COLUMNS, items)),
      ...(isNarrow
        ? [...faultsOf(items, paint), ...paint.sentence(`${count}${toWhom(items)}`, String, 0)]
        : [count]),
    ],
    markdown: () => [...markdownLines(COLUMNS, items), '', count],
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  return EXIT.done;
}

const NARROW: readonly ViewColumn<DeliveryBody>[] = [
  { heading: 'made (UTC)', text: ({ created_at }) => shortMoment(created_at) },
  {
    heading: 'state',
    text: ({ state }) => state,
    paint: ({ state }, { chalk }) =>
      ({ sent: chalk.dim, failed: chalk.red })[state as string] ?? chalk.yellow,
  },
  { heading: 'title', flex: 3, text: ({ title }) => title },
  { heading: 'message', text: ({ message }) => message },
];

const COLUMNS: readonly ViewColumn<DeliveryBody>[] = [
  ...NARROW.slice(0, 2),
  { heading: 'tries', align: 'right', text: ({ attempts }) => String(attempts) },
  { heading: 'title', flex: 3, text: ({ title }) => title },
  { heading: 'to', flex: 1, text: ({ to }) => to },
  { heading: 'answer', flex: 2, text: answerOf },
  ...NARROW.slice(3),
];

/** Why messages were not taken, for a terminal whose table has no room for it: each reason once, with how many it is that of. */
function faultsOf(items: readonly DeliveryBody[], paint: Paint): readonly string[] {
  const missed = items.filter(({ state, last_error: error }) => state !== 'sent' && error !== null);
  const reasons = [...Map.groupBy(missed, answerOf)].flatMap(([answer, some]) => {
    const [first] = some;
    const which = some.length === 1 && first !== undefined ? first.message : counted(some.length, 'message');
    return paint.sentence(`${which}: ${clean(answer, 1000)}`);
  });
  return reasons.length === 0 ? [] : ['', ...reasons, ''];
}

/** A channel has few targets: another one after it was edited. */
function toWhom(items: readonly DeliveryBody[]): string {
  const targets = [...new Set(items.map(({ to }) => to))];
  return targets.length === 0 ? '' : ` to ${clean(targets.join(', '))}`;
}

/** What the other side said, and of what waits when it is tried next. */
function answerOf({ state, answer, last_error: error, next_attempt_at: next }: DeliveryBody): string {
  if (state === 'sent') return answer ?? '';
  const again = state === 'waiting' && error !== null ? `; next try ${shortMoment(next)}` : '';
  return `${error ?? ''}${again}`;
}
