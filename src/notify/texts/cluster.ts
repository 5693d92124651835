import { oneLine } from '../../base/index.ts';
import { code, line, type Line } from '../../text/index.ts';
import type { Entry, Payload, Section } from '../content.ts';
import {
  commandOf,
  last,
  listIn,
  numberIn,
  plural,
  said,
  shown,
  subjectsOf,
  type EventText,
} from './words.ts';

const NAMESPACES = 5;

function newest({ items }: Entry): Payload | undefined {
  return items.at(-1);
}

function cluster(section: Section): string {
  return section.subjects === 1 ? said(last(section), 'cluster', 30) : subjectsOf(section, 'cluster');
}

function nodesLine(entry: Entry): Line {
  const item = newest(entry);
  const from = item?.['enforced_from'];
  return line(
    shown(item, 'cluster'),
    ` has ${said(item, 'count')} ready nodes of ${said(item, 'ceiling')}`,
    ...(typeof from === 'string'
      ? [' (enforced from ', code(oneLine(from.slice(0, 10), 10) || '–'), ')']
      : []),
  );
}

const nodes = (
  text: Pick<EventText, 'severity' | 'why' | 'command'> & {
    readonly short: (name: string, item: Payload | undefined) => string;
    readonly sentence: string;
  },
): EventText => ({
  severity: text.severity,
  title: (section) => text.short(cluster(section), last(section)),
  happened: () => line(text.sentence),
  lines: ({ entries }) => entries.map(nodesLine),
  of: 'clusters',
  why: text.why,
  command: text.command,
});

export const nodes80 = nodes({
  severity: 'info',
  short: (name, item) =>
    `${name} is near its node ceiling: ${said(item, 'count')} of ${said(item, 'ceiling')}`,
  sentence: 'A cluster has reached 80 percent of the nodes that the licence allows.',
  why: 'Nothing is denied. Above the ceiling, a grace period starts.',
  command: () => 'ipo system nodes',
});

export const nodesOver = nodes({
  severity: 'warning',
  short: (name, item) =>
    `${name} is over its node ceiling: ${said(item, 'count')} of ${said(item, 'ceiling')}`,
  sentence: 'A cluster has more ready nodes than the licence allows.',
  why: 'Nothing is denied before the date above. From then on, image names that are new in this period are denied.',
  command: () => 'ipo system nodes',
});

export const nodesEnforced = nodes({
  severity: 'critical',
  short: (name) => `Node ceiling of ${name} is enforced: new images are denied`,
  sentence: 'A cluster is still over its node ceiling after the grace period.',
  why: 'Image names that are new in this period are denied until the count is within the ceiling. Running pods are not affected.',
  command: () => 'ipo ledger list --label quota',
});

export const nodesCleared = nodes({
  severity: 'good',
  short: (name) => `${name} is within its node ceiling again`,
  sentence: 'A cluster is within its node ceiling again.',
  why: 'Nothing is denied. The grace period is reset.',
  command: () => 'ipo system nodes',
});

export const podsUnreviewed: EventText = {
  severity: 'warning',
  title: (section) => {
    const pods = section.entries.reduce(
      (sum, { items }) => sum + items.reduce((all, item) => all + (numberIn(item, 'pods') ?? 0), 0),
      0,
    );
    return `${plural(pods, 'unreviewed pod')} in ${cluster(section)}`;
  },
  happened: () => line('A sweep found running pods that the webhook never reviewed.'),
  lines: ({ entries }) =>
    entries.map((entry) => {
      const item = newest(entry);
      const namespaces = listIn(item, 'namespaces');
      const rest = namespaces.length - NAMESPACES;
      return line(
        shown(item, 'cluster'),
        `: ${plural(numberIn(item, 'pods') ?? 0, 'pod')} in `,
        ...namespaces
          .slice(0, NAMESPACES)
          .flatMap((name, at) => [at === 0 ? '' : ', ', code(said({ name }, 'name', 63))]),
        rest > 0 ? ` and ${plural(rest, 'more namespace')}` : '',
      );
    }),
  of: 'clusters',
  why: 'They were admitted while the webhook was unavailable (failurePolicy: Ignore), or by someone who can bypass it. The ledger now has their decisions.',
  command: (section) => {
    const [namespace] = listIn(last(section), 'namespaces');
    return commandOf('ipo ledger list -d 1', '--namespace', namespace);
  },
};

/** Of a runtime policy: how the image could be denied at admission, and what that would have changed. */
function draftOf(item: Payload | undefined): Line {
  if (typeof item?.['draft'] !== 'string') return [];
  const told = '; ipo audit --action runtime_pod_stop has a draft that denies the image at admission';
  return typeof item['draft_effect'] === 'string'
    ? line(`${told}. `, said(item, 'draft_effect', 160))
    : line(told);
}

export const podStopWithheld: EventText = {
  severity: 'warning',
  title: (section) =>
    section.subjects === 1
      ? `${said(last(section), 'workload', 40)} still runs; policy ${said(last(section), 'policy', 24)} would stop it`
      : `${subjectsOf(section, 'workload')} still run that a policy would stop`,
  happened: () => line('Pods that a policy would stop were left running.'),
  lines: ({ entries }) =>
    entries.map((entry) => {
      const item = newest(entry);
      return line(
        code(`${said(item, 'cluster', 63)}/${said(item, 'namespace', 63)}/${said(item, 'workload', 80)}`),
        ', policy ',
        shown(item, 'policy', 80),
        ': ',
        shown(item, 'reason', 200),
        '; left running because ',
        shown(item, 'withheld', 200),
        ...draftOf(item),
      );
    }),
  of: 'workloads',
  why: 'Stopping them would not help: what replaces them is denied, or does the same. Deploy an image that the policy allows, or deny this one at admission.',
  command: (section) => commandOf('ipo ledger list', '--namespace', last(section)?.['namespace']),
};
