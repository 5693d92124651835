import { formatMinute, oneLine } from '../base/index.ts';
import { code, heading, line, paragraph, type Block, type Line } from '../text/index.ts';
import type { Content, Section } from './content.ts';
import { MAX_TITLE, SEVERITIES, type Message, type Severity } from './message.ts';
import { EVENT_TEXTS, plural } from './texts/index.ts';

/** Envelope is what a message carries beside its content. */
export interface Envelope {
  readonly id: string;
  /** When it was composed, in UTC milliseconds. */
  readonly at: number;
  readonly references: readonly string[];
}

/** composeMessage words a content. The same content gives the same words. */
export function composeMessage(content: Content, { id, at, references }: Envelope): Message {
  if (content.test !== undefined) return testMessage(content, { id, at, references }, content.test.by);
  const { sections, places } = content;
  const worst = sections.reduce<Section | undefined>(
    (most, section) => (most === undefined || rank(section) > rank(most) ? section : most),
    undefined,
  );
  const others = sections.length - 1;
  const more = others > 0 ? ` (and ${plural(others, 'more event')})` : '';
  const title = worst === undefined ? 'Nothing happened' : EVENT_TEXTS[worst.event].title(worst, places);
  return {
    id,
    references,
    content,
    at: sections.reduce((latest, { lastAt }) => Math.max(latest, lastAt), 0) || at,
    severity: worst === undefined ? 'info' : EVENT_TEXTS[worst.event].severity,
    title: `${oneLine(title, MAX_TITLE - more.length)}${more}`,
    blocks: sections.flatMap((section) => blocksOf(section, content, others > 0)),
  };
}

function rank({ event }: Section): number {
  return SEVERITIES.indexOf(EVENT_TEXTS[event].severity);
}

function blocksOf(section: Section, { places }: Content, named: boolean): Block[] {
  const text = EVENT_TEXTS[section.event];
  const items = text.lines(section, places);
  const rest = section.subjects - section.entries.length;
  const list: readonly Line[] =
    rest > 0
      ? [...items, line(`and ${section.isMore === true ? `more than ${rest}` : rest} more ${text.of}`)]
      : items;
  return [
    ...(named ? [heading(oneLine(text.title(section, places), MAX_TITLE))] : []),
    paragraph(...text.happened(section), ` ${whenOf(section)}`),
    ...(list.length === 0 ? [] : [{ kind: 'list', items: list } as const]),
    paragraph(text.why),
    paragraph('To see more: ', code(text.command(section))),
  ];
}

function whenOf({ firstAt, lastAt }: Section): string {
  const [first, until] = [formatMinute(firstAt), formatMinute(lastAt)];
  if (first === until) return `(${first})`;
  const [day = '', ...time] = until.split(' ');
  return first.startsWith(day)
    ? `(${first.replace(/ UTC$/, '')} to ${time.join(' ')})`
    : `(${first} to ${until})`;
}

function testMessage(content: Content, envelope: Envelope, by: string): Message {
  const severity: Severity = 'info';
  return {
    ...envelope,
    severity,
    content,
    title: 'Test of a notification channel',
    blocks: [
      paragraph(code(oneLine(by, 120) || '–'), ' requested this test message. Nothing has happened.'),
      paragraph(
        'Messages about your images and clusters will look like this one. Only a person can see that it has arrived here.',
      ),
    ],
  };
}
