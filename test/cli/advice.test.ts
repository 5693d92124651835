import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startApi } from '../api/service.ts';
import { ipo } from './fake-terminal.ts';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-advice-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('an address of a service with a path that it lacks is an error outside, with what to do', async (t) => {
  const { url } = await startApi(t, []);
  const HOME = scratch(t);
  const list = (server: string) =>
    ipo(['policy', 'list', '--server', server, '--token-stdin'], { stdin: 'viewer-token', env: { HOME } });
  const below = await list(`${url}/api/v1/foo`);
  assert.equal(below.code, 3);
  assert.match(below.err, /^ipo: the service has nothing at \/api\/v1\/foo\/api\/v1\/policies\n/);
  assert.match(below.err, /does not answer at the path of this address; give the address as https:\/\/HOST/);
  const old = await list(url);
  assert.equal(old.code, 3);
  assert.match(old.err, /nothing at \/api\/v1\/policies\n {2}It may be of an earlier release/);
});

test('advice names only flags that the command has, and nothing that was given', async (t) => {
  const env = { HOME: scratch(t) };
  const login = await ipo(['login'], { env });
  assert.match(login.err, /no service given\n {2}Name the service: `ipo login SERVER`, or set IPO_SERVER/);
  const named = await ipo(['login', 'http://127.0.0.1:9', '--email', 'a@b.example'], { env });
  assert.match(named.err, /Give --password-stdin; with a token in IPO_TOKEN commands need no sign-in/);
  const token = await ipo(['login', 'http://127.0.0.1:9'], { env: { ...env, IPO_TOKEN: 'ipot_x' } });
  assert.match(
    token.err.replaceAll(/\s+/g, ' '),
    /IPO_TOKEN is set, and commands use it without a sign-in; to sign in all the same, give --email ADDRESS and --password-stdin/,
  );
  const exported = await ipo(['ledger', 'export'], { env });
  assert.match(exported.err, /no ledger given\n {2}Give a database with --database URL, or a service/);
});

test('stdin that is empty, or has too many lines, is said so in words', async (t) => {
  const env = { HOME: scratch(t) };
  const login = (stdin: string, ...more: string[]) =>
    ipo(['login', 'http://127.0.0.1:9', '--email', 'a@b.example', '--password-stdin', ...more], {
      stdin,
      env,
    });
  assert.match((await login('')).err, /^ipo: stdin is empty\n {2}Write the password into it, on one line/);
  assert.match((await login('a\nb\nc\nd\n')).err, /^ipo: stdin has 4 lines and must have 1 line\n/);
  const setup = await login('code\n', '--setup');
  assert.match(
    setup.err,
    /stdin has 1 line and must have 2 lines\n.*the setup code, then the password.*each on a line/,
  );
});

test('a document of another kind is named where a channel is read', async (t) => {
  const file = join(scratch(t), 'policy.yaml');
  writeFileSync(file, 'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: a }\n');
  const { code, err } = await ipo(['tracker', 'test', '--file', file]);
  assert.equal(code, 2);
  assert.match(err, /policy\.yaml:2: ImagePolicy is not a kind of channel; the kinds are github, /);
});

test('the kinds of channels are listed without parentheses in parentheses', async (t) => {
  const { err } = await ipo(['channel', 'setup', 'trello'], { env: { HOME: scratch(t) } });
  assert.match(err, /webhook = Webhook \(CloudEvents\)/);
});

test('a rule of a configuration export says where it goes', async (t) => {
  const file = join(scratch(t), 'export.yaml');
  writeFileSync(file, 'apiVersion: ipo.dev/v1\nkind: RuntimeRule\nmetadata: { name: a }\n');
  const { code, err } = await ipo([
    'runtime',
    'rule',
    'apply',
    '-f',
    file,
    '--yes',
    '--server',
    'https://ipo.example',
  ]);
  assert.equal(code, 2);
  assert.match(err, /RuntimeRule is that of a configuration export: import it with `ipo config import`/);
});
