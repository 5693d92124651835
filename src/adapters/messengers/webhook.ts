import { createHmac, sign } from 'node:crypto';
import { formatTime, type Clock, type Secret } from '../../base/index.ts';
import type { Content, Message, Messenger, Section } from '../../notify/index.ts';
import type { Line } from '../transport/index.ts';
import { cutLine } from '../markup/index.ts';
import { openHook } from './hook.ts';
import type { SigningKey } from './signing-key.ts';

/** What Standard Webhooks recommends as the largest body, in bytes. */
const MAX_BODY = 20_000;
/** Entries, occurrences of each, and characters of each of their values that are tried until the body fits. */
const SHOWN = [
  [20, Infinity],
  [10, Infinity],
  [5, Infinity],
  [3, Infinity],
  [1, Infinity],
  [1, 80],
  [0, 0],
] as const;

/** WebhookOptions say where a webhook leads and how its messages are signed. */
export interface WebhookOptions {
  readonly url: string;
  /** `whsec_…`; null for none. */
  readonly secret: Secret | null;
  readonly key: SigningKey;
  /** Says which installation sends, as CloudEvents wants it: a URI. */
  readonly source: string;
  readonly guard: () => boolean;
  readonly clock: Clock;
}

/**
 * openWebhook gives the messenger of a plain webhook: CloudEvents 1.0 in structured JSON, signed as Standard Webhooks has it: `v1` by the
 * secret, `v1a` by the Ed25519 key of the installation. The id stays over all tries; the time is that of the try.
 */
export function openWebhook(options: WebhookOptions, line: Line): Messenger {
  const { url, secret, key, source, guard, clock } = options;
  const post = openHook(line, { url, guard, secrets: secret === null ? [] : [secret] });
  return {
    async send(message) {
      const body = toCloudEvent(message, source);
      const timestamp = String(Math.floor(clock.now() / 1000));
      const { status } = await post({
        body,
        headers: {
          'content-type': 'application/cloudevents+json; charset=utf-8',
          'webhook-id': message.id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signatures(`${message.id}.${timestamp}.${body}`, secret, key),
        },
      });
      return `${status} accepted`;
    },
  };
}

function signatures(signed: string, secret: Secret | null, key: SigningKey): string {
  const own = `v1a,${sign(null, Buffer.from(signed, 'utf8'), key.privateKey).toString('base64')}`;
  if (secret === null) return own;
  const bytes = Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(signed, 'utf8').digest('base64')} ${own}`;
}

/** toCloudEvent writes a message as a CloudEvent of at most 20,000 bytes, in JSON. */
export function toCloudEvent(message: Message, source: string): string {
  let body = '';
  for (const [most, characters] of SHOWN) {
    body = JSON.stringify(eventOf(message, source, most, characters));
    if (Buffer.byteLength(body, 'utf8') <= MAX_BODY) break;
  }
  return body;
}

function eventOf(
  message: Message,
  source: string,
  most: number,
  characters: number,
): Readonly<Record<string, unknown>> {
  const { id, at, title, severity, references, content } = message;
  const [first] = content.sections;
  const [only] = first?.entries ?? [];
  const single = content.sections.length === 1 && first !== undefined;
  return {
    specversion: '1.0',
    id,
    source,
    type: typeOf(content),
    ...(single &&
      first.subjects === 1 &&
      only !== undefined &&
      only.subject !== '' && { subject: only.subject }),
    time: formatTime(at),
    datacontenttype: 'application/json',
    data: {
      title,
      severity,
      references,
      events: content.sections.map((section) => shortened(sectionOf(section, content, most), characters)),
      ...(content.test !== undefined && { test: { by: content.test.by } }),
    },
  };
}

function shortened(section: unknown, characters: number): unknown {
  if (characters === Infinity) return section;
  const cut = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? cutLine(value, characters) : value;
  return JSON.parse(JSON.stringify(section, cut));
}

function typeOf({ sections, test }: Content): string {
  if (test !== undefined) return 'ipo.test';
  const [first] = sections;
  return sections.length === 1 && first !== undefined ? `ipo.${first.event}` : 'ipo.digest';
}

function sectionOf(section: Section, { places }: Content, most: number): Readonly<Record<string, unknown>> {
  const { event, count, subjects, isMore = false, firstAt, lastAt, entries } = section;
  const shown = entries.slice(0, most);
  return {
    event,
    count,
    subjects,
    ...(isMore && { subjects_at_least: true }),
    first_at: formatTime(firstAt),
    last_at: formatTime(lastAt),
    more: subjects - shown.length,
    entries: shown.map((entry) => {
      const items = entry.items.slice(0, most);
      const place = places[entry.subject];
      return {
        subject: entry.subject,
        count: entry.count,
        more: entry.count - items.length,
        items,
        ...(place !== undefined && {
          image: place.name,
          workloads: place.workloads,
          workloads_total: place.total,
        }),
      };
    }),
  };
}
