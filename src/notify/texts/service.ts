import { line } from '../../text/index.ts';
import {
  commandAbout,
  has,
  last,
  numberIn,
  plural,
  said,
  shown,
  subjectOf,
  subjectsOf,
  timeIn,
  type EventText,
} from './words.ts';

export const ledgerBroken: EventText = {
  severity: 'critical',
  title: () => 'The admission ledger does not match its proof',
  happened: () => line('A check of the ledger failed: rows were changed or are missing.'),
  lines: ({ entries }) => entries.map(({ items }) => line(shown(items.at(-1), 'fault', 400))),
  of: 'faults',
  why: 'Until this is explained, the ledger proves nothing. Keep the database and its backups as they are, and find out who wrote to it.',
  command: () => 'ipo ledger verify --server',
};

export const catalogueStale: EventText = {
  severity: 'warning',
  title: (section) =>
    section.subjects === 1
      ? `The ${said(last(section), 'title', 50)} is out of date`
      : `${subjectsOf(section, 'catalogue')} are out of date`,
  happened: () => line('A catalogue has not been fetched for 24 hours.'),
  lines: ({ entries }) =>
    entries.map(({ items }) => {
      const item = items.at(-1);
      const asOf =
        typeof item?.['as_of'] === 'string' ? [', of ', timeIn(item, 'as_of')] : [', never fetched'];
      return line(shown(item, 'title'), ...asOf, ': ', shown(item, 'fault', 300));
    }),
  of: 'catalogues',
  why: 'Decisions use the last copy. Anything published since then is not known here.',
  command: () => 'ipo doctor',
};

export const channelFailed: EventText = {
  severity: 'warning',
  title: (section) =>
    section.subjects === 1
      ? `Messages to ${said(last(section), 'channel', 40)} failed`
      : `Messages to ${subjectsOf(section, 'channel')} failed`,
  happened: () => line('Messages to a channel could not be delivered.'),
  lines: ({ entries }) =>
    entries.map(({ items, count }) => {
      const item = items.at(-1);
      return line(
        shown(item, 'channel'),
        ' (',
        shown(item, 'kind', 20),
        `): ${plural(count, 'message')}; `,
        shown(item, 'error', 300),
      );
    }),
  of: 'channels',
  why: 'Anyone who relies on that channel has not been told. Fix the channel, then send the messages again with ipo channel resend.',
  command: (section) => commandAbout('ipo channel deliveries', subjectOf(section)) ?? 'ipo channel list',
};

export const licenceExpiring: EventText = {
  severity: 'warning',
  title: (section) => {
    const days = numberIn(last(section), 'days') ?? 0;
    return days > 0 ? `The licence ends in ${plural(days, 'day')}` : 'The licence has ended';
  },
  happened: (section) => {
    const item = last(section);
    const of = has(item, 'cluster') ? [' of ', shown(item, 'cluster', 63)] : [];
    return line('The licence certificate', ...of, ' ends on ', timeIn(item, 'not_after'), '.');
  },
  lines: () => [],
  of: 'certificates',
  why: 'Nothing stops: the ceilings stay as they are, and usage is still counted.',
  command: () => 'ipo licence show',
};

export const backupFailed: EventText = {
  severity: 'critical',
  title: () => 'A backup of the service failed',
  happened: (section) => line('A backup was not written: ', shown(last(section), 'error', 400), '.'),
  lines: () => [],
  of: 'backups',
  why: 'A restore would bring back the last good backup. Anything since then would be lost.',
  command: () => 'ipo backup list',
};
