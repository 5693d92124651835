import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Window } from 'happy-dom';
import { simpleParser } from 'mailparser';
import { openMail } from '../../src/adapters/messengers/index.ts';
import { toMail } from '../../src/adapters/markup/index.ts';
import { CHANNEL_EVENTS, type ChannelEvent } from '../../src/channels/index.ts';
import type { Message } from '../../src/notify/index.ts';
import { browse, chromiumPath } from './chromium.ts';
import { hostileMessage, hostileMessages } from './hostile-messages.ts';
import { EVIL, SEEDS, TEXTS } from './hostile-texts.ts';
import { startSide } from './others.ts';
import { settingsOf } from './world.ts';

const chromium = chromiumPath();

/** What a mail is made of: tags with their attributes, and no text. */
function tagsOf(html: string): string {
  return (html.match(/<[^>]*>/g) ?? []).join('');
}

/** Two events, with headings between them: others for each text. */
function someEvents(at: number): ChannelEvent[] {
  return [
    CHANNEL_EVENTS.at(at % CHANNEL_EVENTS.length),
    CHANNEL_EVENTS.at((at * 7 + 3) % CHANNEL_EVENTS.length),
  ].filter((event) => event !== undefined);
}

/** A page in which texts are active. */
const RAW = `<img src=http://${EVIL}/raw.png><svg onload=top.ran+=1>`;

/** Names of elements and attributes that a mail may have. */
const OURS = new Set(
  'html html@lang head meta meta@charset meta@name meta@content title body body@style div div@style h1 h1@style h2 h2@style p p@style ul ul@style li li@style code code@style br'.split(
    ' ',
  ),
);

test('a mail is one subject on one line, and the markup is the same whatever stands in it', () => {
  const bad: string[] = [];
  const meant = new Map<Message, string>();
  for (const { name, message, harmless } of hostileMessages(TEXTS, 1)) {
    const made = toMail(message);
    const tags = meant.get(harmless) ?? tagsOf(toMail(harmless).html);
    meant.set(harmless, tags);
    if (made.subject === '' || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(made.subject))
      bad.push(`subject of ${name}`);
    if (tagsOf(made.html) !== tags) bad.push(`markup of ${name}`);
    if (/(?:https?|ftp|file):\/\/|javascript:\S|www\.\S/i.test(`${made.html}${made.text}`))
      bad.push(`an address that mail programs make a link of in ${name}`);
    if (/[\p{Cs}\0]/u.test(made.text) || made.text.split('\n').some((line) => line.length > 900))
      bad.push(`a line that is too long in ${name}`);
  }
  assert.deepEqual(bad.slice(0, 12), [], `${bad.length} in all`);
});

test('read as HTML, a mail has no element and no attribute but ours', () => {
  const window = new Window();
  for (const [at, text] of SEEDS.entries()) {
    const html = toMail(hostileMessage(someEvents(at), text)).html;
    const page = new window.DOMParser().parseFromString(html, 'text/html');
    for (const element of page.querySelectorAll('*')) {
      const tag = element.tagName.toLowerCase();
      for (const name of [tag, ...[...element.attributes].map((one) => `${tag}@${one.name}`)])
        assert.ok(OURS.has(name), `${name} in ${JSON.stringify(text)}`);
    }
  }
});

test(
  'in a browser no mail runs a script, asks for anything or has an element that is not ours',
  { skip: chromium === null && 'there is no chromium on the PATH, and CHROME names none' },
  async (t) => {
    assert.ok(chromium);
    const mails = TEXTS.slice(0, 500).map((text, at) => toMail(hostileMessage(someEvents(at), text)).html);
    // Many in one page are quick to open; one that left something open would swallow those behind it.
    const pages = Array.from({ length: 500 / 25 }, (_, at) => mails.slice(at * 25, at * 25 + 25).join('\n'));
    const { pages: opened, asked } = await browse(t, chromium, [...pages, RAW]);
    assert.equal(opened.length, pages.length + 1);
    for (const [at, { ran, names, headings }] of opened.slice(0, -1).entries()) {
      const where = `in texts ${at * 25} to ${at * 25 + 24}`;
      const foreign = names.filter((name) => !OURS.has(name));
      assert.deepEqual({ ran, foreign, headings }, { ran: 0, foreign: [], headings: 25 }, where);
    }
    // The judge finds what is active in a page that nobody made inert, and what it asks for; nobody else asked for anything.
    const { ran, names } = opened.at(-1) ?? assert.fail();
    assert.deepEqual([ran, names.includes('img@src'), asked], [1, true, [`${EVIL}/raw.png`]]);
  },
);

test('as it goes over the wire, no text adds a header, a recipient or a part', async (t) => {
  const side = await startSide(t);
  const messenger = openMail({
    settings: settingsOf('email', side) as unknown as Parameters<typeof openMail>[0]['settings'],
    rules: { testLoopback: true, privateNetworks: 'allow', denied: [] },
    guard: () => true,
  });
  const headers = new Set<string>();
  for (const { name, message, events } of hostileMessages(SEEDS, 1)) {
    if (events.length > 1) continue;
    await messenger.send(message);
    const mail = await simpleParser(side.taken.at(-1)?.body ?? '');
    assert.equal(mail.subject, toMail(message).subject, name);
    assert.deepEqual(
      [mail.to, mail.cc, mail.bcc].flat().map((one) => one?.text),
      ['ops@example.com', undefined, undefined],
    );
    assert.equal(mail.from?.text, '"ipo" <ipo@example.com>');
    assert.equal(mail.attachments.length, 0, name);
    for (const header of mail.headers.keys()) headers.add(header);
  }
  assert.deepEqual([...headers].toSorted(), [
    ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
    'x-auto-response-suppress',
  ]);
});
