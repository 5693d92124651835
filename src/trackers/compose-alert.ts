import { formatMinute } from '../base/index.ts';
import type { Text } from './compose-issue.ts';
import { imageCommand } from './compose-parts.ts';
import type { KnownAlert } from './compose-ports.ts';
import { foreign } from './inert.ts';
import type { EndReason } from './issue.ts';
import type { ClosingPlan } from './ports.ts';
import type { TrackingRow } from './row.ts';
import { code, heading, line, paragraph, rest, type Block } from '../text/index.ts';

/** ALERT_LABEL is on every issue of a runtime alert, beside those of the channel. */
export const ALERT_LABEL = 'runtime';

/** composeAlert writes the issue of a runtime alert: what was seen, where and how often, and what shows more of it. */
export function composeAlert(row: TrackingRow, known: KnownAlert | null): Text {
  const { digest, cve: rule } = row;
  const name = foreign(known?.image ?? row.image ?? digest);
  const priority = known?.priority ?? row.severity ?? 'unknown';
  return {
    title: `RUNTIME: ${foreign(rule, 100)} in ${foreign(name, 120)}`,
    body: [
      paragraph(
        'The runtime detector reported ',
        code(foreign(rule)),
        ` (${foreign(priority, 20)}) in a container of the image `,
        code(name),
        ', and a runtime rule gives an alert for it.',
      ),
      ...whenAndWhere(known),
      heading('Image'),
      { kind: 'list', items: [line('Digest: ', code(foreign(digest)))] },
      heading('What shows more'),
      { kind: 'code', text: eventsCommand(digest, rule) },
      rest(code(imageCommand(digest)), ' shows all that is known of the image.'),
      paragraph(
        'This issue is closed by itself, with the reason, once no event of the rule came from the image for 7 days (quiet), or no pod runs ',
        'the image any more (image_retired). Neither counts as a fix.',
      ),
    ],
  };
}

function whenAndWhere(known: KnownAlert | null): readonly Block[] {
  if (known === null) return [paragraph('Its events are no longer kept.')];
  const { first, last, count, places } = known;
  const header = [line('Cluster'), line('Namespace'), line('Workload'), line('Last event')];
  const cell = (value: string | null) => (value === null ? line('–') : line(code(foreign(value, 100))));
  return [
    {
      kind: 'list',
      items: [
        line(`Events: ${count}`),
        line(`First event: ${formatMinute(first)}`),
        line(`Last event: ${formatMinute(last)}`),
      ],
    },
    heading('Where it came from'),
    {
      kind: 'table',
      header,
      rows: places.map((place) => [
        cell(place.cluster),
        cell(place.namespace),
        cell(place.workload),
        line(formatMinute(place.last)),
      ]),
    },
  ];
}

/** It is run as it stands; a rule whose name could do something else in a shell is left out. */
function eventsCommand(digest: string, rule: string): string {
  const image = /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : 'DIGEST';
  const named = /^[A-Za-z0-9][A-Za-z0-9 ._:/()-]{0,199}$/.test(rule) ? ` --rule '${rule}'` : '';
  return `ipo runtime events --image ${image}${named}`;
}

const MEANING: Readonly<Partial<Record<EndReason, string>>> = {
  quiet: 'no event of the rule came from the image for 7 days.',
  image_retired: 'no pod was seen running the image for 24 hours.',
};

/** composeAlertEnd writes the comment that closes the issue of a runtime alert, with the reason in the word of the row. */
export function composeAlertEnd({ ended, leftOpen }: ClosingPlan): readonly Block[] {
  return [
    ...ended.flatMap(({ row, reason, supersededBy }) => [
      paragraph(
        code(foreign(row.cve)),
        ' in ',
        code(foreign(row.image ?? row.digest)),
        ' ended as ',
        code(reason),
        `: ${MEANING[reason] ?? 'it was released.'} This does not count as a fix.`,
      ),
      ...(row.lastEventAt === null ? [] : [paragraph(`Last event: ${formatMinute(row.lastEventAt)}.`)]),
      ...(supersededBy === null
        ? []
        : [paragraph('The same workload runs ', code(foreign(supersededBy)), ' now.')]),
    ]),
    paragraph(
      leftOpen
        ? 'The channel has no doneTransitionId, so this issue is left open: please close it by hand.'
        : 'This issue is closed. A later alert opens another one.',
    ),
  ];
}
