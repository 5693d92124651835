import type { ChannelBody } from '../../src/api/contract/channels.ts';
import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { counted } from '../../src/render/index.ts';
import type { TrackingListOptions, TrackingRowOptions } from '../commands/tracking.ts';
import { ANSWER_FORMATS, markdownLines, tableLines, writeAnswer, type AnswerViews } from '../ui/answer.ts';
import { EXIT, type ExitCode } from '../ui/exit.ts';
import { parseWhole } from '../ui/numbers.ts';
import { parseOutputs } from '../ui/output.ts';
import { parsePaging } from '../ui/paging.ts';
import { withService } from '../ui/service.ts';
import type { GlobalOptions, Terminal } from '../ui/terminal.ts';
import { TRACKING_COLUMNS, trackingFacts } from './tracking-view.ts';

interface List {
  readonly items: readonly TrackingBody[];
  readonly total: number;
}

/** runTrackingList is `ipo tracking list`. */
export async function runTrackingList(
  options: TrackingListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { state, reason, image, cve, channel, returned, failed } = options;
  const page = parsePaging(options);
  const answer = await withService(terminal, options, async (service) =>
    service.json<List>('GET /tracking', {
      query: {
        state,
        reason,
        image,
        cve,
        channel: channel === undefined ? undefined : await channelId(service, channel),
        returned: returned && 'true',
        failed: failed && 'true',
        ...page,
      },
    }),
  );
  const { items, total } = answer.body;
  const count =
    items.length === total ? counted(total, 'row') : `${items.length} of ${counted(total, 'row')}`;
  const views: AnswerViews = {
    table: (paint) => [...(items.length === 0 ? [] : tableLines(paint, TRACKING_COLUMNS, items)), count],
    markdown: () => [...markdownLines(TRACKING_COLUMNS, items), '', count],
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  return EXIT.done;
}

/** A channel's id by its name; what is no name may be the id of a channel that is gone. */
async function channelId(service: ServiceClient, which: string): Promise<string> {
  const { body } = await service.json<{ items: readonly ChannelBody[] }>('GET /channels');
  return body.items.find(({ name }) => name === which)?.id ?? which;
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
  const answer = await withService(terminal, options, (service) =>
    service.json<TrackingBody>('GET /tracking/{id}', { params }),
  );
  await writeAnswer(targets, answer, rowViews(answer.body), terminal, globals);
  return EXIT.done;
}

/** rowNumber reads the number of a row. Throws UsageError. */
export function rowNumber(id: string): number {
  return parseWhole('ID', id, 1, Number.MAX_SAFE_INTEGER, 'the number of a row');
}

/** rowViews draws one row. */
export function rowViews(row: TrackingBody): AnswerViews {
  const columns = [
    { heading: '', text: ({ name }: Fact) => name },
    { heading: '', flex: 1, text: ({ value }: Fact) => value },
  ];
  return {
    table: (paint) => tableLines(paint, columns, trackingFacts(row)),
    markdown: () => markdownLines(columns, trackingFacts(row)),
  };
}

type Fact = ReturnType<typeof trackingFacts>[number];
