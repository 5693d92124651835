import { line } from '../../text/index.ts';
import { commandOf, last, plural, said, shown, subjectsOf, type EventText } from './words.ts';

export const ledgerBroken: EventText = {
  severity: 'critical',
  title: () => 'The admission ledger does not match its proof',
  happened: () => line('A check of the ledger failed: rows were changed or are missing.'),
  lines: ({ entries }) => entries.map(({ items }) => line(shown(items.at(-1), 'fault', 400))),
  of: 'faults',
  why: 'Until it is explained, the ledger proves nothing. Keep the database and its backups as they are, and find out who wrote to it.',
  command: () => 'ipo ledger verify --server',
};

export const catalogueStale: EventText = {
  severity: 'warning',
  title: (section) =>
    section.subjects === 1
      ? `${said(last(section), 'title', 50)} is out of date`
      : `${subjectsOf(section, 'catalogue')} are out of date`,
  happened: () => line('A catalogue could not be fetched for 24 hours.'),
  lines: ({ entries }) =>
    entries.map(({ items }) => {
      const item = items.at(-1);
      return line(shown(item, 'title'), ', from ', shown(item, 'as_of', 30), ': ', shown(item, 'fault', 300));
    }),
  of: 'catalogues',
  why: 'Decisions use what is kept. What was published since then is not known here.',
  command: () => 'curl $IPO_SERVER/api/v1/system/health',
};

export const channelFailed: EventText = {
  severity: 'warning',
  title: (section) =>
    section.subjects === 1
      ? `Channel ${said(last(section), 'channel', 40)} could not be told`
      : `${subjectsOf(section, 'channel')} could not be told`,
  happened: () => line('Messages to a channel were given up.'),
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
  why: 'Who relies on that channel has not heard of it. Fix the channel, and send again with ipo channel resend.',
  command: (section) => commandOf('ipo channel deliveries', last(section)?.['channel_id']),
};

export const licenceExpiring: EventText = {
  severity: 'warning',
  title: (section) => `The licence ends in ${said(last(section), 'days', 10)} days`,
  happened: (section) => line('The licence certificate ends on ', shown(last(section), 'not_after', 30), '.'),
  lines: () => [],
  of: 'certificates',
  why: 'Every feature stays. Install a new certificate to keep its ceilings.',
  command: () => 'curl $IPO_SERVER/api/v1/nodes',
};

export const backupFailed: EventText = {
  severity: 'critical',
  title: () => 'A backup of the service failed',
  happened: (section) => line('A backup was not written: ', shown(last(section), 'error', 400), '.'),
  lines: () => [],
  of: 'backups',
  why: 'The last good backup is the one that a restore would bring back. Everything since then would be lost.',
  command: () => 'curl $IPO_SERVER/api/v1/system/health',
};
