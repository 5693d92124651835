import { code, line, type Line } from '../../text/index.ts';
import type { Entry, Payload, Section } from '../content.ts';
import {
  commandOf,
  has,
  imageName,
  last,
  pathOf,
  placeOf,
  plural,
  said,
  shortName,
  showImage,
  shown,
  subjectOf,
  subjectsOf,
  whereOf,
  type EventText,
  type Places,
} from './words.ts';

/** CVEs that the line of one image names. */
const CVES = 5;

function cvesOf({ items, count }: Entry, more: (item: Payload) => Line): Line {
  const named = items.slice(0, CVES);
  const rest = count - named.length;
  return line(
    ...named.flatMap((item, at) => [at === 0 ? '' : ', ', shown(item, 'cve', 40), ...more(item)]),
    rest > 0 ? ` and ${rest} more` : '',
  );
}

function imageLine(entry: Entry, places: Places, more: (item: Payload) => Line): Line {
  const { subject } = entry;
  return [
    ...line(code(imageName(subject, places)), ': '),
    ...cvesOf(entry, more),
    ...whereOf(subject, places),
  ];
}

function isExploited(item: Payload): boolean {
  return item['known_exploited'] === true;
}

/** How a finding is qualified: why it is told, if no scan found it just now, and what a person can do about it. */
function fixOf(item: Payload): Line {
  const again = { runs_again: 'the image runs again, ', triage_ended: 'triage ended, ' }[
    said(item, 'reason')
  ];
  const begin = ` (${again ?? ''}${isExploited(item) ? 'known exploited, ' : ''}`;
  return typeof item['fixed'] === 'string'
    ? line(`${begin}fixed in `, shown(item, 'fixed', 40), ')')
    : line(`${begin}no fix yet)`);
}

/** The one reason for which all findings of a section are told; undefined where they differ. */
function foundBy({ entries }: Section): string | undefined {
  const reasons = new Set(
    entries.flatMap(({ items }) => items.map(({ reason = 'found' }) => String(reason))),
  );
  return reasons.size === 1 ? [...reasons][0] : undefined;
}

const TITLES: ReadonlyMap<string | undefined, string> = new Map([
  ['found', 'found'],
  ['runs_again', 'back'],
  ['triage_ended', 'open again'],
]);

function foundSentence(section: Section): string {
  const images = subjectsOf(section, 'image');
  const findings = plural(section.count, 'critical finding');
  switch (foundBy(section)) {
    case 'found':
      return `Scans found ${plural(section.count, 'new critical finding')} in ${images}.`;
    case 'runs_again':
      return `Running again: ${images} with ${findings}.`;
    case 'triage_ended':
      return `Triage ended for ${findings} in ${images}.`;
    default:
      return `Open in ${images}: ${findings}.`;
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['fixed', 'fixed'],
  ['confirmed', 'confirmed as fixed by a person'],
  ['triaged', 'accepted by triage'],
  ['image_retired', 'the image no longer runs'],
]);

function reasonOf(item: Payload): Line {
  return line(` (${REASONS.get(said(item, 'reason')) ?? 'ended'})`);
}

function counted(section: Section, places: Places, what: string): string {
  const { count, subjects, entries } = section;
  const [only] = entries;
  if (subjects === 1 && only !== undefined && section.isMore !== true) {
    const name = shortName(only.subject, places);
    return count === 1
      ? `${said(only.items[0], 'cve', 24)} ${what} in ${name}`
      : `${plural(count, 'critical finding')} ${what} in ${name}`;
  }
  return `${plural(count, 'critical finding')} ${what} in ${subjectsOf(section, 'image')}`;
}

export const criticalFinding: EventText = {
  severity: 'critical',
  title: (section, places) => counted(section, places, TITLES.get(foundBy(section)) ?? 'open'),
  happened: (section) => line(foundSentence(section)),
  lines: ({ entries }, places) => entries.map((entry) => imageLine(entry, places, fixOf)),
  of: 'images',
  why: 'An attacker who reaches a critical finding can usually take over the workload. Deploy an image with the fix, or record why it does not apply with ipo triage add.',
  command: (section) => showImage(subjectOf(section)) ?? 'ipo vulns --severity CRITICAL --triaged false',
};

export const findingResolved: EventText = {
  severity: 'good',
  title: (section, places) => counted(section, places, 'resolved'),
  happened: (section) =>
    line(`Resolved in ${subjectsOf(section, 'image')}: ${plural(section.count, 'critical finding')}.`),
  lines: ({ entries }, places) => entries.map((entry) => imageLine(entry, places, reasonOf)),
  of: 'images',
  why: 'No action is needed.',
  command: (section) => showImage(subjectOf(section)) ?? 'ipo images list --sort scanned',
};

export const knownExploitedAdded: EventText = {
  severity: 'critical',
  title: (section) =>
    section.subjects === 1
      ? `${said({ cve: section.entries[0]?.subject }, 'cve', 24)} is exploited and runs here`
      : `${subjectsOf(section, 'exploited vulnerability', 'exploited vulnerabilities')} run here`,
  happened: (section) =>
    line(
      `The catalogue of known exploited vulnerabilities now lists ${subjectsOf(section, 'vulnerability', 'vulnerabilities')} of running images.`,
    ),
  lines: ({ entries }, places) =>
    entries.map(({ subject, count, items }) => {
      const named = items.slice(0, CVES).map((item) => said(item, 'digest', 80));
      const rest = count - named.length;
      return line(
        code(said({ subject }, 'subject', 40)),
        ' in ',
        ...named.flatMap((digest, at) => [
          at === 0 ? '' : ', ',
          code(imageName(digest, places)),
          ...line(' (', ...placeOf(digest, places), ')'),
        ]),
        rest > 0 ? ` and ${plural(rest, 'more image')}` : '',
      );
    }),
  of: 'vulnerabilities',
  why: 'Attackers use these now. Fix them before other findings, whatever their severity.',
  command: (section) => commandOf('ipo vulns --known-exploited true', '--search', subjectOf(section)),
};

export const runtimeAlert: EventText = {
  severity: 'critical',
  title: (section, places) => {
    const item = last(section);
    const others = new Set(section.entries.flatMap(({ items }) => items.map(({ rule }) => rule))).size - 1;
    return section.count === 1
      ? `${said(item, 'rule', 40)} ${has(item, 'digest') ? `in ${shortName(said(item, 'digest', 80), places)}` : `on ${said(item, 'host', 40)}`}`
      : `${plural(section.count, 'runtime alert')}: ${said(item, 'rule', 40)}${others > 0 ? ` and ${plural(others, 'other rule')}` : ''}`;
  },
  happened: ({ count }) =>
    line(`The runtime detector reported ${plural(count, 'event')} that matched a rule.`),
  lines: ({ entries }, places) => entries.flatMap((entry) => alertLines(entry, places)),
  of: 'rules and images',
  why: 'A container did something that its image should not do. Inspect the pod before it is gone.',
  command: (section) => showImage(subjectOf(section)) ?? 'ipo runtime events --since 24h',
};

/** A line for each rule of the detector, with its last event: an image that several rules are about has done several things. */
function alertLines({ count, items }: Entry, places: Places): Line[] {
  const rules = [...Map.groupBy(items, ({ rule }) => rule).values()];
  return rules.map((some) => {
    const item = some.at(-1);
    const digest = said(item, 'digest', 80);
    const place = has(item, 'digest')
      ? [...line(') in ', code(imageName(digest, places))), ...podOf(item, digest, places)]
      : line(') on ', code(pathOf(item, ['cluster', 'host'])));
    // Of more occurrences than are kept nobody knows the rules.
    const times = rules.length === 1 ? count : some.length;
    return [
      ...line(shown(item, 'rule'), ' (', shown(item, 'priority', 20)),
      ...place,
      ...line(times > 1 ? `, ${times} times: ` : ': ', shown(item, 'output', 300)),
    ];
  });
}

/** The pod that it happened in; where the detector named none, where its image runs. */
function podOf(item: Payload | undefined, digest: string, places: Places): Line {
  return has(item, 'pod')
    ? line(', pod ', code(pathOf(item, ['cluster', 'namespace', 'pod'])))
    : whereOf(digest, places);
}
