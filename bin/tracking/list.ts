import type { ChannelBody } from '../../src/api/contract/channels.ts';
import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { counted } from '../../src/render/index.ts';
import {
  ANSWER_FORMATS,
  markdownLines,
  tableLines,
  writeAnswer,
  type AnswerViews,
} from '../terminal/answer.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs } from '../terminal/output.ts';
import { parsePaging } from '../terminal/paging.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { factLines, type Fact } from '../terminal/fact-lines.ts';
import { trackingColumns, trackingFacts, type ChannelNames } from './view.ts';
import type { PagingFlags } from '../terminal/paging-flags.ts';
import type { ServiceFlags } from '../service/index.ts';

/** TrackingListOptions are the flags of `ipo tracking list`. */
export interface TrackingListOptions extends ServiceFlags, PagingFlags {
  readonly state?: string;
  readonly reason?: string;
  readonly image?: string;
  readonly kind?: string;
  readonly cve?: string;
  readonly rule?: string;
  readonly channel?: string;
  readonly returned?: true;
  readonly failed?: true;
  readonly output: readonly string[];
}

/** TrackingRowOptions are the flags of the commands on one row. */
export interface TrackingRowOptions extends ServiceFlags {
  readonly output: readonly string[];
}

interface List {
  readonly items: readonly TrackingBody[];
  readonly total: number;
}

/** Columns from which on a terminal has room for all of a row. */
const WIDE = 110;

/** runTrackingList is `ipo tracking list`. */
export async function runTrackingList(
  options: TrackingListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { state, reason, kind, image, cve, rule, channel, returned, failed } = options;
  const page = parsePaging(options);
  const { names, id, answer } = await withService(terminal, options, async (service) => {
    const names = await channelNames(service);
    const id = channel === undefined ? undefined : channelId(names, channel);
    const answer = await service.json<List>('GET /tracking', {
      query: {
        state,
        reason,
        kind,
        image,
        cve,
        rule,
        channel: id,
        returned: returned && 'true',
        failed: failed && 'true',
        ...page,
      },
    });
    return { names, id, answer };
  });
  const { items, total } = answer.body;
  const count =
    items.length === total ? counted(total, 'row') : `${items.length} of ${counted(total, 'row')}`;
  const narrow = terminal.tty.out && terminal.columns < WIDE;
  const columns = trackingColumns(items, names, narrow);
  const views: AnswerViews = {
    table: (paint) => [...(items.length === 0 ? [] : tableLines(paint, columns, items)), count],
    markdown: () => [...markdownLines(trackingColumns(items, names, false), items), '', count],
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  if (id !== undefined && total === 0 && !names.has(id) && !globals.quiet)
    terminal.err(`ipo: no channel has the name ${clean(channel ?? '')}; give a deleted one by its ID\n`);
  return EXIT.done;
}

/** channelNames asks which channels there are. */
export async function channelNames(service: ServiceClient): Promise<ChannelNames> {
  const { body } = await service.json<{ items: readonly ChannelBody[] }>('GET /channels');
  return new Map(body.items.map(({ id, name }) => [id, name]));
}

/** A channel's id by its name; an unknown name may be the id of a deleted channel. */
function channelId(names: ChannelNames, which: string): string {
  return [...names].find(([, name]) => name === which)?.[0] ?? which;
}

/** runTrackingShow is `ipo tracking show`. */
export async function runTrackingShow(
  id: string,
  options: TrackingRowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const params = { id: String(rowNumber(id)) };
  const { names, answer } = await withService(terminal, options, async (service) => ({
    answer: await service.json<TrackingBody>('GET /tracking/{id}', { params }),
    names: await channelNames(service),
  }));
  await writeAnswer(targets, answer, rowViews(answer.body, names), terminal, globals);
  return EXIT.done;
}

/** rowNumber reads the number of a row. Throws UsageError. */
export function rowNumber(id: string): number {
  return parseWhole('ID', id, 1, Number.MAX_SAFE_INTEGER, 'the number of a row');
}

/** rowViews draws one row. */
export function rowViews(row: TrackingBody, names: ChannelNames): AnswerViews {
  const facts = trackingFacts(row, names);
  const columns = [
    { heading: '', text: ({ name }: Fact) => name },
    { heading: '', flex: 1, text: ({ value }: Fact) => value },
  ];
  return {
    table: (paint) => factLines(paint, facts),
    markdown: () => markdownLines(columns, facts),
  };
}
