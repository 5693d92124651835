import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import type { ViewColumn } from '../ui/answer.ts';
import { shortMoment } from '../ui/rows.ts';

/** TRACKING_COLUMNS are the columns of a list of rows. */
export const TRACKING_COLUMNS: readonly ViewColumn<TrackingBody>[] = [
  { heading: 'id', text: ({ id }) => String(id) },
  {
    heading: 'state',
    text: stateOf,
    paint: ({ state, last_error }, { chalk }) =>
      state === 'closed' ? chalk.dim : last_error === null ? chalk.yellow : chalk.red,
  },
  { heading: 'CVE', text: ({ cve }) => cve },
  { heading: 'image', flex: 3, text: ({ image, digest }) => image ?? digest },
  { heading: 'issue', flex: 2, text: ({ issue }) => issue?.key ?? '–' },
  { heading: 'opened (UTC)', text: ({ opened_at }) => shortMoment(opened_at) },
  { heading: 'closed (UTC)', text: ({ closed_at }) => shortMoment(closed_at) },
];

/** stateOf says how a row stands: its reason once it is closed, in the row's own word. */
export function stateOf({ state, reason, returned_at, issue }: TrackingBody): string {
  if (state === 'open') return issue === null ? 'claimed' : 'open';
  return returned_at === null ? (reason ?? 'closed') : `${reason ?? 'closed'}, returned`;
}

/** trackingFacts are all that is known of a row, each with its name. */
export function trackingFacts(
  row: TrackingBody,
): readonly { readonly name: string; readonly value: string }[] {
  const { issue } = row;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['row', String(row.id)],
    ['CVE', row.cve],
    ['severity', row.severity],
    ['image', row.image],
    ['digest', row.digest],
    ['clusters', row.clusters.length === 0 ? null : row.clusters.join(', ')],
    ['state', stateOf(row)],
    [
      'issue',
      issue === null ? 'not opened yet' : `${issue.key}${row.summary ? ', the summary of a first run' : ''}`,
    ],
    ['link', issue === null || issue.url === '' ? null : issue.url],
    ['channel', `${row.channel_id} (${row.channel_kind})`],
    ['closed via', row.closed_via],
    ['claimed', moment(row.claimed_at)],
    ['opened', moment(row.opened_at)],
    ['closed', moment(row.closed_at)],
    [
      'left open',
      row.issue_left_open ? 'the channel has no doneTransitionId: close the issue by hand' : null,
    ],
    [
      'returned',
      row.returned_at === null
        ? null
        : `${moment(row.returned_at)}; ipo tracking reopen ${row.id} files it anew`,
    ],
    ['superseded by', row.superseded_by],
    ['it has the CVE', row.successor_has_cve === null ? null : row.successor_has_cve ? 'yes' : 'no'],
    ['withheld', row.withheld],
    ['filed anew', row.generation > 1 ? `${row.generation - 1} times` : null],
    ['attempts', row.attempts > 1 ? String(row.attempts) : null],
    ['last error', row.last_error],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

function moment(time: string | null): string | null {
  return time === null ? null : `${shortMoment(time)} UTC`;
}
