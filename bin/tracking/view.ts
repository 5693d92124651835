import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import { flagText, imageColumn, type ViewColumn } from '../terminal/answer.ts';
import { counted } from '../../src/render/index.ts';
import { shortMoment } from '../terminal/rows.ts';
import type { Fact } from '../terminal/fact-lines.ts';

/** ChannelNames are the names of the channels that are there, by id. */
export type ChannelNames = ReadonlyMap<string, string>;

/** channelText names the channel of a row; of one that is deleted its id, which `ipo channel adopt` takes. */
function channelText(id: string, names: ChannelNames): string {
  return names.get(id) ?? `${id} (deleted)`;
}

type Columns = readonly ViewColumn<TrackingBody>[];

const CVE: Columns[number] = { heading: 'CVE', text: ({ cve }) => cve ?? '–' };
const ABOUT: Columns[number] = {
  heading: 'CVE or rule',
  flex: 2,
  text: ({ cve, rule }) => cve ?? rule ?? '–',
};

const WHAT: Columns = [
  { heading: 'id', text: ({ id }) => String(id) },
  {
    heading: 'state',
    text: stateOf,
    paint: ({ state, last_error }, { chalk }) => {
      if (state === 'closed') return chalk.dim;
      return last_error === null ? chalk.yellow : chalk.red;
    },
  },
  CVE,
  imageColumn(3, ({ image, digest }) => image ?? digest),
  { heading: 'issue', flex: 2, text: ({ issue }) => issue?.key ?? '–' },
];
const WHEN: Columns = [
  { heading: 'opened (UTC)', text: ({ opened_at }) => shortMoment(opened_at) },
  { heading: 'closed (UTC)', text: ({ closed_at }) => shortMoment(closed_at) },
];
/** A narrow terminal has no room for two times; how a row ended is its state. */
const OPENED: Columns = [{ heading: 'opened', text: ({ opened_at }) => shortMoment(opened_at).slice(0, 10) }];

/** trackingColumns are the columns of a list of rows; the channel is one where it is not the same for all, or is gone. */
export function trackingColumns(
  rows: readonly TrackingBody[],
  names: ChannelNames,
  narrow: boolean,
): Columns {
  const closing = ({ closed_via: adopter, channel_id: id }: TrackingBody): string => adopter ?? id;
  const ids = new Set(rows.map(closing));
  const same = ids.size <= 1 && [...ids].every((id) => names.has(id));
  const channel: Columns = [{ heading: 'channel', flex: 2, text: (row) => channelText(closing(row), names) }];
  const what = rows.some(({ kind }) => kind === 'runtime') ? WHAT.with(WHAT.indexOf(CVE), ABOUT) : WHAT;
  return [...what, ...(same ? [] : channel), ...(narrow ? OPENED : WHEN)];
}

/** stateOf says how a row stands: its reason once it is closed, in the row's own word. */
function stateOf({ state, reason, returned_at, issue }: TrackingBody): string {
  if (state === 'open') return issue === null ? 'claimed' : 'open';
  return returned_at === null ? (reason ?? 'closed') : `${reason ?? 'closed'}, returned`;
}

/** trackingFacts are all that is known of a row, each with its name. */
export function trackingFacts(row: TrackingBody, names: ChannelNames): readonly Fact[] {
  const { issue } = row;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['row', String(row.id)],
    ['CVE', row.cve],
    ['rule', row.rule],
    [row.kind === 'runtime' ? 'priority' : 'severity', row.severity],
    ['image', row.image],
    ['digest', row.digest],
    ['clusters', row.clusters.length === 0 ? null : row.clusters.join(', ')],
    ['state', stateOf(row)],
    [
      'issue',
      issue === null ? 'not opened yet' : `${issue.key}${row.summary ? ', the summary of a first run' : ''}`,
    ],
    ['link', issue === null || issue.url === '' ? null : issue.url],
    ['channel', `${channelText(row.channel_id, names)}, ${row.channel_kind}`],
    ['adopted by', row.closed_via === null ? null : channelText(row.closed_via, names)],
    ['claimed', moment(row.claimed_at)],
    ['opened', moment(row.opened_at)],
    ['closed', moment(row.closed_at)],
    [
      'left open',
      row.issue_left_open ? 'the channel has no doneTransitionId: close the issue by hand' : null,
    ],
    ['last event', moment(row.last_event_at)],
    [
      'returned',
      row.returned_at === null
        ? null
        : `${moment(row.returned_at)}; ipo tracking reopen ${row.id} reopens it`,
    ],
    ['superseded by', row.superseded_by],
    ['it has the CVE', flagText(row.successor_has_cve, { yes: 'yes', no: 'no', unknown: null })],
    ['withheld', row.withheld],
    ['filed again', row.generation > 1 ? counted(row.generation - 1, 'time') : null],
    ['attempts', row.attempts > 1 ? String(row.attempts) : null],
    ['last error', row.last_error],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

function moment(time: string | null): string | null {
  return time === null ? null : `${shortMoment(time)} UTC`;
}
