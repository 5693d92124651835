import type { LicenceBody } from '../../src/api/contract/licence.ts';
import { clean } from '../terminal/clean.ts';
import { shortMoment } from '../terminal/rows.ts';

/** licenceText writes how a licence stands, for people. */
export function licenceText(body: LicenceBody): string {
  const { certificate, ceiling, usage, state, warnings } = body;
  const rows: (readonly [string, string])[] = [
    ['state', state === 'none' ? 'no certificate: there is no ceiling' : state],
    ['cluster', body.cluster === '' ? body.cluster_id : `${body.cluster} (${body.cluster_id})`],
    ...(certificate === null
      ? []
      : ([
          [
            'certificate',
            `${certificate.id}, for ${certificate.customer}, signed by ${certificate.signed_by ?? 'an unknown key'}`,
          ],
          ['ends', certificate.not_after === null ? 'never' : `${shortMoment(certificate.not_after)} UTC`],
        ] as const)),
    ['nodes', used(usage.nodes, ceiling.nodes)],
    [`image names of ${usage.month}`, used(usage.image_names, ceiling.image_names)],
    ['clusters', used(usage.clusters, ceiling.clusters)],
    ...(body.online
      ? ([
          [
            'licence service',
            `asked ${shortMoment(body.checked_at)}, next ${shortMoment(body.next_check_at)} UTC`,
          ],
        ] as const)
      : []),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `${name.padEnd(width)}  ${clean(text)}`);
  return `${[...lines, ...warnings.map((warning) => `\n! ${clean(warning)}`)].join('\n')}\n`;
}

function used(count: number | null, ceiling: number | null): string {
  const text = count ?? 'not counted yet';
  if (ceiling === null) return `${text}, no ceiling`;
  return count === null ? `${text}, at most ${ceiling}` : `${count} of ${ceiling}`;
}
