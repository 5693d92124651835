import { formatMinute } from '../base/index.ts';
import { aboutVulnerability, whatToChange } from './compose-advisory.ts';
import {
  cveOf,
  deadline,
  exploited,
  imageCommand,
  ledgerOf,
  nameOf,
  triageCommand,
  type Described,
} from './compose-parts.ts';
import type { KnownImage, Workload } from './compose-ports.ts';
import { foreign } from './inert.ts';
import { code, heading, line, paragraph, rest, type Block, type Line } from '../text/index.ts';

/** Text is a title and what stands below it. */
export interface Text {
  readonly title: string;
  readonly body: readonly Block[];
}

/** composeIssue writes the issue of one finding: what it is, what repairs it and until when, where it runs, and what to do. */
export function composeIssue(described: Described): Text {
  const { cve, severity, digest, image, finding, window, at } = described;
  const [first] = finding?.packages ?? [];
  const what = first === undefined ? '' : `${foreign(first.name, 60)} ${foreign(first.installed, 40)} in `;
  return {
    title: `${foreign(cve, 60)}: ${what}${foreign(nameOf(described), 120)}`,
    body: [
      paragraph(
        cveOf(cve),
        ` (${severity === null ? 'CRITICAL' : foreign(severity, 20)}) is in the image `,
        code(nameOf(described)),
        '. ',
        foundBy(image),
      ),
      ...aboutVulnerability(described),
      ...exploited(described),
      deadline(window, at),
      ...whatToChange(described),
      ...running(image),
      heading('Image'),
      { kind: 'list', items: aboutImage(digest, image) },
      ...triage(described),
      rest(code(imageCommand(digest)), ' shows all that is known of the image.'),
      paragraph(
        'This issue is closed by itself, with the reason, once the finding ends: fixed, triaged or image_retired. ',
        'Closing it by hand changes nothing about the finding.',
      ),
    ],
  };
}

function foundBy(image: KnownImage | null): string {
  const scan = image?.scan ?? null;
  if (scan === null) return 'The scan that found it is no longer kept.';
  const { scanner, at } = scan;
  return `It was found by ${scanner === null ? 'a scan' : foreign(scanner, 60)} on ${formatMinute(at)}.`;
}

function running(image: KnownImage | null): readonly Block[] {
  const { workloads = [], workloadsTotal = 0, namespaces = [] } = image ?? {};
  const title = heading('Where it runs');
  if (workloads.length > 0) {
    const header = [line('Cluster'), line('Namespace'), line('Workload'), line('Since')];
    const more = workloadsTotal - workloads.length;
    return [
      title,
      { kind: 'table', header, rows: workloads.map(workloadRow) },
      ...(more > 0 ? [paragraph(`${more} more ${more === 1 ? 'workload runs' : 'workloads run'} it.`)] : []),
    ];
  }
  if (namespaces.length === 0)
    return [title, paragraph('It was neither admitted nor seen running in a cluster yet.')];
  return [
    title,
    paragraph('It was admitted in ', ...listed(namespaces), '; no workload was seen running it yet.'),
  ];
}

function workloadRow({ cluster, namespace, name, since }: Workload): readonly Line[] {
  return [
    line(code(foreign(cluster, 100))),
    line(code(foreign(namespace, 100))),
    line(code(foreign(name))),
    line(formatMinute(since)),
  ];
}

const NAMESPACES_SHOWN = 10;

function listed(namespaces: readonly string[]): Line {
  const shown = namespaces.slice(0, NAMESPACES_SHOWN);
  const more = namespaces.length - shown.length;
  return line(
    ...shown.flatMap((name, at) => [...(at === 0 ? [] : [', ']), code(foreign(name, 100))]),
    ...(more > 0 ? [` and ${more} more`] : []),
  );
}

function aboutImage(digest: string, image: KnownImage | null): readonly Line[] {
  const others = (image?.names ?? []).slice(1);
  const source = image?.source ?? null;
  return [
    line('Digest: ', code(foreign(digest))),
    ...(others.length === 0
      ? []
      : [
          line(
            'Also named: ',
            ...others.flatMap((name, at) => [...(at === 0 ? [] : [', ']), code(foreign(name))]),
          ),
        ]),
    ...(source === null ? [] : [line('Source: ', code(foreign(source)))]),
    line('Admission: ', ...ledgerOf(image)),
  ];
}

function triage(described: Described): readonly Block[] {
  const command = triageCommand(described);
  if (command === null) return [];
  return [
    heading('If it does not count here'),
    paragraph('Say why, and until when. The finding is taken out, and this issue is closed as triaged:'),
    { kind: 'code', text: command },
  ];
}
