import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import { ipo } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DRAFT = join(ROOT, 'fixtures/policies/tighten.yaml');
const built = existsSync(join(ROOT, 'dist/demo.cjs')) ? false : 'the program is not built: npm run build';

/** The directories of running demos. */
function traces(): string[] {
  return ['/dev/shm', tmpdir()]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place))
    .filter((name) => name.startsWith('ipo-demo-'));
}

test('ipo demo trackers shows every closing with its reason, and the states of the remediation windows', async () => {
  const { code, out, err } = await ipo(['demo', 'trackers', 'jira-datacenter']);
  assert.deepEqual([code, err], [0, '']);
  const windows = [...out.matchAll(/^ {2}remediation windows: (\w+)\./gm)].map(([, state]) => state);
  assert.deepEqual([...new Set(windows)], ['gap', 'partial', 'met']);
  assert.match(out, /SEC-1 {2}opened {2}7 critical findings in 1 image\n/);
  assert.match(out, /^ {2}fixed {2}CVE-2026-24110 .* SEC-2$/m);
  assert.match(out, /^ {2}triaged {2}CVE-2026-24377 .* SEC-3$/m);
  assert.match(out, /^ {2}image_retired {2}CVE-2026-19804 .* SEC-1$/m);
  assert.match(out, /which has none of them\./);
});

test('ipo demo runtime shows an allowed event, an alert with its issue and its throttle, stops of pods, and a stop that is withheld', async () => {
  const { code, out, err } = await ipo(['demo', 'runtime']);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(
    [...out.matchAll(/^ +→ (\w+) by (.*)$/gm)].map(([, effect, by]) => `${effect} ${by}`),
    [
      'allow rule "backup reads secrets"',
      'notify rule "shells", an alert',
      'notify rule "shells"',
      ...Array.from({ length: 3 }, () => 'stop policy stop-dropped-binaries'),
      ...Array.from({ length: 2 }, () => 'withheld policy stop-dropped-binaries'),
    ],
  );
  assert.match(out, /The channel got 1 message:\n +│ Terminal shell in container in web:1\.4\n/);
  assert.match(out, /The channel got no message\./);
  const issues = [...out.matchAll(/GitHub has an issue, (\S+): (.*)$/gm)].map(([, name, title]) => [
    name,
    title,
  ]);
  assert.deepEqual(issues, [['acme/shop#1', 'RUNTIME: Terminal shell in container in ghcr.io/acme/web:1.4']]);
  assert.match(out, /The effect of the event is issue now\./);
  assert.match(out, /allowedRegistries:\n +- ghcr\.io\/acme\/web\n/);
  assert.match(out, /deployment\/api still runs; policy stop-dropped-binaries would stop it/);
});

test('ipo demo trackers plays the trackers that it names, and no other', async () => {
  const { code, err } = await ipo(['demo', 'trackers', 'bugzilla']);
  assert.equal(code, 2);
  assert.match(err, /github, github-enterprise, gitlab, jira-cloud, jira-gateway, jira-datacenter/);
});

test('ipo demo says that its port is taken before it fills a ledger', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, out, err } = await ipo(['demo', '--listen', `127.0.0.1:${port}`]);
  assert.deepEqual([code, out], [3, '']);
  assert.equal(
    err,
    `ipo: 127.0.0.1:${port} is taken by another program\n  Stop that program, or use another address: --listen HOST:PORT.\n`,
  );
});

suite('ipo demo', { skip: built }, () => {
  const earlier = traces();
  const child = spawn(process.execPath, [join(ROOT, 'bin/ipo.cjs'), 'demo', '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  const said = { out: '', err: '' };
  const env: Record<string, string> = {};

  before(async () => {
    child.stderr.on('data', (bytes: Buffer) => (said.err += bytes.toString()));
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (bytes: Buffer) => {
        said.out += bytes.toString();
        if (said.out.includes('openapi.json')) resolve();
      });
      // Listened for from the start, so that one which ends before it is asked is told as well.
      void ended.then(() => reject(new Error(said.err)));
    });
    for (const [, name = '', value = ''] of said.out.matchAll(/^ {2}export (IPO_\w+)=(\S+)$/gm))
      env[name] = value;
  });
  after(() => child.kill('SIGKILL'));

  test('prints a service and a token that the next terminal can use as they stand', () => {
    assert.deepEqual(Object.keys(env), ['IPO_SERVER', 'IPO_TOKEN']);
    assert.match(said.out, /5,895 admissions/);
  });

  test('answers the what-if of the README over the live ledger', async () => {
    const { code, out, err } = await ipo(['whatif', DRAFT, '--server'], { env });
    assert.equal(code, 0, err);
    assert.match(out, /would deny 611 that were allowed and allow 95/);
  });

  test('every command that it says to try is one', async () => {
    const commands = [...said.out.matchAll(/^ {2}ipo (.*)$/gm)].map(
      ([, line = '']) => line.split(/\s{2,}/)[0] ?? '',
    );
    assert.ok(commands.length >= 8);
    for (const line of commands) {
      const args = line.split(' ');
      const flags = args.filter((part) => part.startsWith('--')).map((flag) => flag.split('=')[0] ?? '');
      const { out, code } = await ipo([
        ...args.filter((part) => /^[a-z]+$/.test(part)).slice(0, 2),
        '--help',
      ]);
      assert.equal(code, 0, line);
      for (const flag of flags) assert.ok(out.includes(flag), `${flag} in: ipo ${line}`);
    }
  });

  test('ends with the first Ctrl-C and leaves nothing behind', async () => {
    child.kill('SIGINT');
    assert.equal(await ended, 0, said.err);
    assert.deepEqual(traces(), earlier);
  });
});

test('ipo demo notifications shows each event as each kind of channel gets it', async () => {
  const { code, out, err } = await ipo(['demo', 'notifications']);
  assert.deepEqual([code, err], [0, '']);
  for (const event of CHANNEL_EVENTS) {
    const [, told = ''] = out.split(`\n\n${event}\n`);
    const [own = ''] = told.split(/\n\n(?=[a-z0-9_]+\n {2}Mail\n)/);
    const kinds = [...own.matchAll(/^ {2}([A-Z].*)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds, ['Mail', 'Slack', 'Microsoft Teams', 'Webhook (CloudEvents)'], event);
    assert.match(own, /│ Subject: .+/);
    assert.match(own, new RegExp(`"type": "ipo\\.${event}"`));
  }
  assert.match(out, /^Webhooks are signed with whpk_/m);
  assert.ok(!out.includes('not taken'));
});

test('ipo demo notifications shows one kind and one event, and names those there are', async () => {
  const { code, out } = await ipo(['demo', 'notifications', 'slack', '--event', 'nodes_over']);
  assert.equal(code, 0);
  assert.match(out, /\nnodes_over\n {2}Slack\n {2}│ eu is over its node ceiling: 11 of 10\n/);
  assert.ok(!out.includes('Mail') && !out.includes('nodes_80'));
  const wrong = await ipo(['demo', 'notifications', 'pigeon']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /email, slack, teams, webhook/);
});
