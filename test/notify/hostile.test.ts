import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CloudEvent } from 'cloudevents';
import { GlobalWindow, type HTMLElement as Shown } from 'happy-dom';
import { Webhook } from 'standardwebhooks';
import { toMail, toSlack, toTeams } from '../../src/adapters/markup/index.ts';
import { openWebhook, signingKeyOf, toCloudEvent } from '../../src/adapters/messengers/index.ts';
import { Secret } from '../../src/base/index.ts';
import { lineOf, startSide } from './others.ts';
import { HOSTILE, hostileMessage, TRAP } from './hostile-texts.ts';

const MESSAGES = HOSTILE.map(hostileMessage);
/** Characters that no message may hold: controls, directions, line ends of other kinds, halves of pairs. */
const HIDDEN = /[[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]--[\t\n\r]]/v;

const ELEMENTS = new Set(
  'html head meta title body div table tbody tr td br h1 h2 h3 p ul li pre code strong span style'.split(' '),
);

test('there are 500 hostile texts', () => {
  assert.equal(new Set(HOSTILE).size, 500);
});

test('the HTML of a mail holds what we write and nothing else, and its subject is one line', () => {
  const window = new GlobalWindow();
  for (const message of MESSAGES) {
    const { subject, text, html } = toMail(message);
    assert.ok(!/[\r\n]/.test(subject) && !HIDDEN.test(subject), subject);
    assert.ok(!HIDDEN.test(text) && !HIDDEN.test(html), JSON.stringify(text.slice(0, 300)));
    const page = new window.DOMParser().parseFromString(html, 'text/html');
    for (const element of page.querySelectorAll('*')) {
      const name = element.tagName.toLowerCase();
      assert.ok(ELEMENTS.has(name), `${name}: ${message.title}`);
      for (const { name: attribute } of element.attributes)
        assert.ok(!/^on|^(src|href|action|srcdoc|background)$/i.test(attribute), `${name} ${attribute}`);
    }
    for (const style of page.querySelectorAll('style'))
      assert.ok(!/url\(|@import/i.test(style.textContent), style.textContent);
  }
});

test('the blocks of Slack mention nobody, link to nothing, and keep to its limits', () => {
  for (const message of MESSAGES) {
    const slack = toSlack(message);
    assert.ok(slack.blocks.length <= 50);
    assert.ok(!HIDDEN.test(JSON.stringify(slack.blocks.map((block) => block))));
    const texts = slack.blocks.flatMap((block) => ('elements' in block ? block.elements : [block.text]));
    for (const { type, text } of texts) {
      assert.ok(text.length > 0 && text.length <= 3000);
      if (type === 'plain_text') assert.ok(text.length <= 150);
      // What starts a mention or a link is escaped wherever it stands.
      else assert.ok(!/[<>]/.test(text) && !/&(?!(?:amp|lt|gt);)/.test(text), text.slice(0, 200));
    }
    assert.ok(!/[<>]/.test(slack.text));
  }
});

interface CardLibrary {
  readonly AdaptiveCard: new () => {
    parse(card: unknown): void;
    render(): Shown | undefined;
    validateProperties(): { readonly validationEvents: readonly unknown[] };
  };
}

test('the card of Teams, drawn by its own library, has no link, no picture and no script', (t) => {
  const window = new GlobalWindow();
  const globals = { window, document: window.document, HTMLElement: window.HTMLElement, Node: window.Node };
  const before = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  Object.assign(globalThis, globals);
  t.after(() => {
    for (const [name, property] of before)
      if (property === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, property);
  });
  const { AdaptiveCard } = createRequire(import.meta.url)(
    'adaptivecards/dist/adaptivecards.js',
  ) as CardLibrary;
  for (const message of MESSAGES) {
    const teams = toTeams(message);
    const body = JSON.stringify(teams);
    assert.ok(Buffer.byteLength(body, 'utf8') <= 28_672);
    assert.ok(!HIDDEN.test(body));
    const card = new AdaptiveCard();
    card.parse(teams.attachments[0].content);
    assert.deepEqual(card.validateProperties().validationEvents, []);
    const drawn = card.render();
    assert.ok(drawn);
    assert.equal(drawn.querySelectorAll('a, img, script, iframe, input, button, style, link').length, 0);
    assert.ok(drawn.textContent.includes(message.severity));
  }
});

test('a webhook sends a CloudEvent of at most 20,000 bytes whose signature holds', async (t) => {
  const side = await startSide(t);
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const clock = { now: () => Date.now() };
  const { send } = openWebhook(
    {
      ...{ url: `${side.url}/webhook`, source: 'urn:ipo:test', clock, guard: () => true },
      ...{ secret: new Secret(secret), key: signingKeyOf(Buffer.alloc(32, 7)) },
    },
    lineOf(clock.now),
  );
  for (const [at, message] of MESSAGES.entries()) {
    const body = toCloudEvent(message, 'urn:ipo:test');
    assert.ok(Buffer.byteLength(body, 'utf8') <= 20_000);
    const event = new CloudEvent(JSON.parse(body) as ConstructorParameters<typeof CloudEvent>[0], true);
    assert.equal(event.id, message.id);
    if (at % 10 === 0) await send(message);
  }
  assert.equal(side.taken.length, 50);
  for (const { headers, body } of side.taken)
    new Webhook(secret).verify(body, headers as Readonly<Record<string, string>>);
});

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

test(
  'a browser that shows the mails calls nobody',
  { skip: CHROMIUM === undefined && 'no Chromium is on the PATH' },
  async (t) => {
    const calls: string[] = [];
    const trap = createServer((request, response) => {
      calls.push(request.url ?? '');
      response.end();
    });
    trap.on('connect', (request, socket) => {
      calls.push(request.url ?? '');
      socket.destroy();
    });
    await new Promise<void>((done) => void trap.listen(0, '127.0.0.1', done));
    const folder = mkdtempSync(join(tmpdir(), 'ipo-mails-'));
    t.after(async () => {
      rmSync(folder, { recursive: true, force: true });
      trap.closeAllConnections();
      await new Promise((done) => void trap.close(done));
    });
    const show = async (mails: readonly string[]): Promise<string> => {
      // One page of all of them, as a browser reads pages behind each other; a frame for each would take minutes.
      writeFileSync(join(folder, 'mails.html'), `<!doctype html><meta charset=utf-8>${mails.join('\n')}<hr>`);
      const { stdout } = await promisify(execFile)(
        CHROMIUM ?? '',
        [
          ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
          ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
          ...[`--user-data-dir=${join(folder, 'profile')}`, '--virtual-time-budget=5000', '--dump-dom'],
          ...[
            `--proxy-server=127.0.0.1:${(trap.address() as AddressInfo).port}`,
            '--proxy-bypass-list=<-loopback>',
          ],
          `file://${join(folder, 'mails.html')}`,
        ],
        { timeout: 60_000, maxBuffer: 256 * 1_048_576 },
      );
      return stdout;
    };
    const trapped = (): readonly string[] => calls.filter((url) => url.includes('trap.example'));
    const shown = await show(MESSAGES.map((message) => toMail(message).html));
    assert.ok(shown.includes('<hr>'));
    assert.deepEqual(trapped(), []);
    // The trap works: what is not made inert calls.
    await show([`<img src="${TRAP}/control">`]);
    assert.ok(trapped().length > 0);
  },
);
