import { CHANNEL_EVENTS, defaultEvents, type ChannelEvent } from '../channels/index.ts';
import { composeMessage } from './compose.ts';
import { toSections, type Content } from './content.ts';
import { EVENT_PAYLOADS } from './payloads.ts';
import type { Message } from './message.ts';

const SAMPLE_AT = Date.UTC(2026, 10, 24, 6);

/** sampleContent is what a message reports the sample of each event that is named. */
export function sampleContent(events: readonly ChannelEvent[]): Content {
  const { subject: digest } = EVENT_PAYLOADS.critical_finding.sample;
  return {
    sections: toSections(
      events.map((event) => {
        const { subject, payload } = EVENT_PAYLOADS[event].sample;
        return { event, subject, count: 1, firstAt: SAMPLE_AT, lastAt: SAMPLE_AT, items: [payload] };
      }),
    ),
    places: {
      [digest]: {
        name: 'registry.example.com/shop/api:1.4.2',
        workloads: [{ cluster: 'eu', namespace: 'shop', name: 'api' }],
        total: 3,
      },
    },
  };
}

/** sampleMessage words it. */
export function sampleMessage(events: readonly ChannelEvent[]): Message {
  const id = `msg_${'a'.repeat(26)}`;
  return composeMessage(sampleContent(events), { id, at: SAMPLE_AT, references: [] });
}

/** Between these lines of docs/notifications.md stands what is written here. */
const [BEGIN, END] = ['<!-- events: node scripts/events.ts -->\n', '<!-- end of events -->\n'];

/** withEventGuide puts each event into the text of docs/notifications.md: who gets it, a sample, and the fields of its payload. */
export function withEventGuide(document: string): string {
  const [before = '', rest = ''] = document.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n${CHANNEL_EVENTS.map(chapter).join('\n')}\n${END}${after}`;
}

function chapter(event: ChannelEvent): string {
  const { about, schema, sample } = EVENT_PAYLOADS[event];
  const { title, severity, blocks } = sampleMessage([event]);
  const standard = defaultEvents('webhook').includes(event);
  const words = blocks.map((block) => {
    if (block.kind === 'list') return block.items.map((item) => `- ${textOf(item)}`);
    return 'content' in block ? [textOf(block.content)] : [];
  });
  const rows = Object.entries(schema.shape).map(
    ([name, field]) => `| \`${name}\` | ${(field as { readonly description?: string }).description ?? ''} |`,
  );
  return [
    `### ${event}`,
    '',
    `${standard ? 'A new channel gets it by default' : 'For channels that subscribe to it'}. Severity: ${severity}. Subject: ${about}.`,
    '',
    `> **${title}**`,
    ...words.flatMap((lines) => ['>', ...lines.map((line) => `> ${line}`)]),
    '',
    '| Field | Meaning |',
    '|---|---|',
    ...rows,
    '',
    '```json',
    JSON.stringify(sample.payload),
    '```',
    '',
  ].join('\n');
}

function textOf(line: readonly { readonly text: string }[]): string {
  return line.map(({ text }) => text).join('');
}
