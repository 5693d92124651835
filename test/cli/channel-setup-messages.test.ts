import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { CHANNEL_EVENTS, type Channels, type StoredChannel } from '../../src/channels/index.ts';
import { serveChannels, setup, setupShell, yaml } from './served-setup.ts';

const PASSWORD = 'canary-password';
const CHAT = 'https://hooks.slack.com/services/T0/B0/canary';
const ENTER = '';

interface Post {
  readonly port: number;
  /** What it was asked, and whether it took a mail. */
  readonly seen: string[];
}

/** A mail server of this machine, without TLS; it keeps what it was asked. */
async function startPost(t: TestContext, options: SMTPServerOptions = {}): Promise<Post> {
  const seen: string[] = [];
  const server = new SMTPServer({
    ...{ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, authOptional: true, logger: false },
    onAuth: ({ username, password }, _session, callback) => {
      seen.push(`AUTH ${username}`);
      if (password === PASSWORD) callback(null, { user: 'ipo' });
      else callback(Object.assign(new Error('authentication failed'), { responseCode: 535 }));
    },
    onMailFrom: ({ address }, _session, callback) => {
      seen.push(`FROM ${address}`);
      callback();
    },
    onRcptTo: ({ address }, _session, callback) => {
      seen.push(`TO ${address}`);
      if (address.startsWith('nobody@'))
        callback(Object.assign(new Error('no such user'), { responseCode: 550 }));
      else callback();
    },
    onData: (stream, _session, callback) => {
      stream.on('end', () => void seen.push('MAIL'));
      stream.on('error', () => undefined);
      stream.resume();
      stream.on('end', () => callback());
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  t.after(() => new Promise<void>((done) => server.close(done)));
  return { port: (server.server.address() as AddressInfo).port, seen };
}

const MAIL = ['email', '--host', '127.0.0.1', '--security', 'none', '--from', 'ipo@example.com'] as const;
const mailOf = ({ port }: Post, ...more: readonly string[]): readonly string[] => [
  ...MAIL,
  ...['--port', String(port), '--to', 'ops@example.com, desk@example.com', ...more],
];

async function only(channels: Channels): Promise<StoredChannel> {
  const { items } = await channels.list({ limit: null, offset: 0 });
  assert.equal(items.length, 1);
  return (items[0] as { readonly channel: StoredChannel }).channel;
}

test('a mail server is asked whether it takes sender and recipients, and no mail is sent', async (t) => {
  const post = await startPost(t);
  const { code, out, err } = await setupShell(t).ipo([
    'channel',
    'setup',
    ...mailOf(post),
    '--event',
    'nodes_over',
  ]);
  assert.equal(code, 0, err);
  assert.match(err, /ok +127\.0\.0\.1:\d+ accepts sender and recipients without TLS; no mail was sent/);
  assert.deepEqual(yaml({ code, out, err }), {
    ...{
      kind: 'email',
      name: 'email-ops',
      subscriptions: ['nodes_over'],
      host: '127.0.0.1',
      port: post.port,
    },
    ...{ security: 'none', from: 'ipo@example.com', to: ['ops@example.com', 'desk@example.com'] },
  });
  assert.deepEqual(post.seen, ['FROM ipo@example.com', 'TO ops@example.com', 'TO desk@example.com']);
});

test('what a mail server refuses is said with what to fix, and the channel is not saved', async (t) => {
  const { channels, url } = await serveChannels(t);
  const shell = setupShell(t, url);
  const post = await startPost(t);
  const wrong = await setup(shell, 'of-another', ...mailOf(post, '--username', 'ipo', '--save'));
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /wrong +127\.0\.0\.1:\d+ does not accept the user name and password/);
  assert.match(wrong.err, /nothing was saved/);
  const nobody = await shell.ipo([
    'channel',
    'setup',
    ...MAIL,
    '--port',
    String(post.port),
    '--to',
    'nobody@example.com',
    '--save',
  ]);
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /wrong +127\.0\.0\.1:\d+ answers .*no such user/);
  const plain = await shell.ipo(['channel', 'setup', ...mailOf(post), '--security', 'starttls', '--save']);
  assert.equal(plain.code, 1);
  assert.match(plain.err, /does not offer STARTTLS[\s\S]*mostly 587/);
  const away = await shell.ipo([
    'channel',
    'setup',
    ...MAIL,
    '--port',
    '1',
    '--to',
    'ops@example.com',
    '--save',
  ]);
  assert.equal(away.code, 1);
  assert.match(away.err, /127\.0\.0\.1:1 refuses connections/);
  assert.equal((await channels.list({ limit: null, offset: 0 })).total, 0);
  assert.ok(!`${wrong.out}${wrong.err}`.includes('of-another'));
  const unasked = await shell.ipo([
    ...['channel', 'setup', ...MAIL, '--port', '1', '--to', 'ops@example.com', '--no-check', '--save'],
  ]);
  assert.equal(unasked.code, 0, unasked.err);
  assert.match(unasked.err, /send it a test message: ipo channel test email-ops/);
  assert.equal((await only(channels)).name, 'email-ops');
});

test('a person is asked for the server, corrects a password, and saves the channel', async (t) => {
  const { channels, url } = await serveChannels(t);
  const post = await startPost(t);
  const { code, err } = await setupShell(t, url).ipo(['channel', 'setup', 'email'], {
    answers: [
      [/Mail server/, '127.0.0.1'],
      [/Security of the connection/, '\u001b[B\u001b[B'],
      [/Port/, `\u0015${post.port}`],
      [/Sender, an e-mail address/, 'ipo'],
      [/is not a valid/, '\u0015ipo@example.com'],
      [/Recipients/, 'ops@example.com'],
      [/Account at the server/, ENTER],
      [/Password of the account/, 'of-another'],
      [/What next\?/, '\u001b[B'],
      [/Password of the account/, PASSWORD],
      [/Events that the channel gets/, ENTER],
      [/Name of the channel/, 'on-call'],
      [/What next\?/, ENTER],
    ],
  });
  assert.equal(code, 0, err);
  const { name, kind, settings } = await only(channels);
  assert.deepEqual([name, kind], ['on-call', 'email']);
  assert.deepEqual((settings as { readonly username: string }).username, 'ipo@example.com');
  assert.ok(!err.includes(PASSWORD));
  assert.ok(!post.seen.includes('MAIL'));
});

test('the address of a chat comes from stdin, and is neither shown nor called', async (t) => {
  const { channels, url } = await serveChannels(t);
  const shell = setupShell(t, url);
  const printed = await setup(shell, CHAT, 'slack');
  assert.equal(printed.code, 0, printed.err);
  assert.match(printed.err, /note +nothing is sent to Slack yet; a test message checks the channel/);
  assert.ok(!`${printed.out}${printed.err}`.includes('canary'));
  const saved = await setup(shell, CHAT, 'slack', '--name', 'chat', '--save');
  assert.equal(saved.code, 0, saved.err);
  assert.match(saved.out, /^chat saved as [a-z2-7]{16}\n$/);
  const { settings } = await only(channels);
  assert.deepEqual(settings, { webhookUrl: CHAT });
});

test('a webhook takes its address, and in a second line the secret that signs', async (t) => {
  const { channels, url } = await serveChannels(t);
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const hook = 'https://hooks.example.com/ipo';
  const shell = setupShell(t, url);
  const bad = await setup(shell, `${hook}\nwhsec_short`, 'webhook', '--save');
  assert.equal(bad.code, 2);
  assert.match(bad.err, /must be whsec_ and Base64 of 24 to 64 bytes/);
  const saved = await setup(shell, `${hook}\n${secret}`, 'webhook', '--save');
  assert.equal(saved.code, 0, saved.err);
  assert.deepEqual((await only(channels)).settings, { webhookUrl: hook, secret, format: 'cloudevents' });
});

test('a file answers what it holds, and flags go before it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-setup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mail.yaml');
  const post = await startPost(t);
  writeFileSync(
    file,
    `kind: email\nname: ops\nhost: 127.0.0.1\nport: ${post.port}\nsecurity: none\nfrom: ipo@example.com\nto: [ops@example.com]\nenabled: false\n`,
  );
  const { code, out, err } = await setupShell(t).ipo([
    'channel',
    'setup',
    '--file',
    file,
    '--to',
    'desk@example.com',
  ]);
  assert.equal(code, 0, err);
  const document = yaml({ code, out, err }) as Record<string, unknown>;
  assert.deepEqual(
    [document['name'], document['to'], document['enabled']],
    ['ops', ['desk@example.com'], false],
  );
});

test('wrong answers are named before anything is asked or called', async (t) => {
  const shell = setupShell(t);
  for (const [args, message] of [
    [
      ['slack', '--host', 'mail.example.com'],
      /--host is for channels of email, and this is a channel of slack/,
    ],
    [
      ['slack', '--label', 'x'],
      /--label is for channels of github and gitlab and jira, and this is a channel of slack/,
    ],
    [['slack', '--no-check'], /--no-check is for channels of email/],
    [['slack'], /--credential-stdin is missing/],
    [['email'], /--host is missing/],
    [[...MAIL], /--to is missing/],
    [[...MAIL, '--to', 'ops'], /--to: .*is not a valid e-mail address|--to: it/],
    [[...MAIL, '--to', 'ops@example.com\nBcc: x@example.com'], /--to: it/],
    [['email', '--host', 'mail.example.com', '--security', 'none'], /loopback|--from is missing/],
    [
      ['email', '--host', 'mail.example.com', '--security', 'foo'],
      /none = no encryption, only for a server on this machine/,
    ],
    [['email', '--host', 'mail.example.com', '--port', '0'], /--port 0: it must be between 1 and 65535/],
  ] as const) {
    const { code, err } = await shell.ipo(['channel', 'setup', ...args]);
    assert.equal(code, 2, `${args.join(' ')}: ${err}`);
    assert.match(err, message);
  }
  const { code, err } = await setup(shell, CHAT, 'slack', '--event', 'critical');
  assert.equal(code, 2);
  assert.match(err, /--event/);
  for (const event of CHANNEL_EVENTS) assert.ok(err.includes(event), `${event}: ${err}`);
});
