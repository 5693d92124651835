import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../src/app/config/error.ts';
import { loadConfig, type Config } from '../../src/app/config/config.ts';
import { listSettings } from '../../src/app/config/list.ts';
import { settingsPage } from '../../scripts/docs.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function fileOf(text: string): string {
  const path = join(folder, `${(files += 1)}.yaml`);
  writeFileSync(path, text);
  return path;
}

const load = (
  text: string,
  env: Record<string, string> = {},
  flags: { path: string; flag: string; value: string }[] = [],
): Promise<Config> => loadConfig({ file: fileOf(text), env, flags });

/** The sentences of everything that is wrong, each with where it stands. */
async function faults(text: string, env: Record<string, string> = {}): Promise<string[]> {
  try {
    await load(text, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems.map(({ file, line, message }) =>
      [file.startsWith(folder) ? 'file' : file, line, message].filter((part) => part !== undefined).join(':'),
    );
  }
  return [];
}

test('a directory is all that a service needs', async () => {
  const { settings, warnings } = await load('data: /var/lib/ipo\n');
  assert.equal(settings.listen, '127.0.0.1:8080');
  assert.equal(settings.ledger.checkpointInterval, 60_000);
  assert.deepEqual(settings.ledger.spool, { maxRows: 10_000, maxBytes: 67_108_864 });
  assert.deepEqual(warnings, []);
  assert.equal((await loadConfig({ file: null, env: { IPO_DATA: '/d' } })).settings.data, '/d');
});

test('a flag goes before the environment, which goes before the file', async () => {
  const text = 'data: /file\nlisten: 127.0.0.1:1\nlog: {level: warn}\n';
  const env = { IPO_DATA: '/env', IPO_LISTEN: '127.0.0.1:2', IPO_LOG_FORMAT: '' };
  const { settings } = await load(text, env, [{ path: 'listen', flag: '--listen', value: '127.0.0.1:3' }]);
  assert.deepEqual(
    [settings.data, settings.listen, settings.log.level, settings.log.format],
    ['/env', '127.0.0.1:3', 'warn', 'json'],
  );
});

test('a proxy is a secret that may be in a file of its own, and what is wrong with it is said without it', async () => {
  const { settings } = await load('data: /d\n', {
    IPO_OUTBOUND_PROXY_FILE: fileOf('http://ipo:canary@proxy.example.com:3128\n'),
    IPO_OUTBOUND_NO_PROXY: '.example.com, 10.0.0.0/8',
  });
  assert.equal(settings.outbound.proxy?.reveal(), 'http://ipo:canary@proxy.example.com:3128');
  assert.deepEqual(settings.outbound.noProxy, ['.example.com', '10.0.0.0/8']);
  assert.doesNotMatch(JSON.stringify(settings), /canary/);
  const wrong = await faults(
    'data: /d\noutbound:\n  proxy: socks5://ipo:canary@proxy\n  noProxy: [http://x]\n',
  );
  assert.equal(wrong.length, 2);
  assert.match(
    String(wrong[0]),
    /^file:3:outbound\.proxy: must be http:\/\/HOST:PORT or https:\/\/HOST:PORT/,
  );
  assert.match(String(wrong[1]), /^file:4:outbound\.noProxy\.0:? must be a host, a domain/);
  assert.doesNotMatch(wrong.join('\n'), /canary/);
});

test('lists and objects can be given in the environment', async () => {
  const { settings } = await load('data: /d\n', {
    IPO_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    IPO_LEDGER_ANCHORS: '[{"kind":"file","path":"/a"}]',
    IPO_WHATIF_MEMORY: '256',
  });
  assert.deepEqual(settings.trustedProxies, ['10.0.0.0/8', '::1']);
  assert.deepEqual(settings.ledger.anchors, [{ kind: 'file', path: '/a', keep: 'all' }]);
  assert.equal(settings.whatif.memory, 256);
});

test('everything that is wrong is told at once, with where it stands', async () => {
  const text = [
    'dat: /d',
    'listen: 8080',
    'ledger:',
    '  checkpointInterval: 0s',
    '  spool: {maxRows: 0, maxByte: 1}',
    'log: {level: loud}',
    'trustedProxies: [10.0.0.0/0]',
    'database: {url: "mysql://ipo:canary@db/ipo"}',
  ].join('\n');
  assert.deepEqual((await faults(text, { IPO_WHATIF_MEMORY: 'much', IPO_LOG_FORMAT: 'xml' })).toSorted(), [
    'IPO_LOG_FORMAT:log.format: must be one of json, pretty',
    'IPO_WHATIF_MEMORY:is not a number',
    'file:1:unknown setting "dat"',
    'file:2:listen: must be a text (put it in quotes)',
    'file:4:ledger.checkpointInterval: must be between 1s and 1h',
    'file:5:ledger.spool.maxRows: must be between 1 and 10000',
    'file:5:unknown setting "ledger.spool.maxByte"',
    'file:6:log.level: must be one of debug, info, warn, error',
    'file:7:trustedProxies.0: must be an IP address, or a network such as 10.0.0.0/8',
    'file:8:database.url: must be postgres://USER@HOST:5432/NAME or sqlite:PATH',
  ]);
  assert.deepEqual(await faults('data: /d\nledger: {anchors: [{kind: s3}]}'), [
    'file:2:ledger.anchors.0.kind: must be one of file, http, configMap',
  ]);
  await assert.rejects(load('dat: /d\n'), { hint: 'Did you mean data?' });
});

test('settings that are right by themselves are held against each other', async () => {
  assert.deepEqual(await faults('{}'), [
    'file:data is needed, as database.url and ledger.keyFile and evidence.keyFile and ledger.spool.directory are not set',
  ]);
  assert.match(
    (await faults('data: /d\nlisten: 0.0.0.0:80'))[0] ?? '',
    /^file:2:passwords and tokens would come in over plain HTTP/,
  );
  assert.deepEqual(await faults('data: /d\nlisten: 0.0.0.0:80\npublicUrl: https://ipo.example.com'), []);
  assert.deepEqual(await faults('data: /d\nlisten: "[::1]:80"'), []);
  assert.match((await faults('data: /d\npublicUrl: http://ipo.example.com'))[0] ?? '', /must be https/);
  assert.match(
    (await faults('data: /d\noidc: {issuer: "https://idp", clientId: ipo}'))[0] ?? '',
    /publicUrl is needed for oidc/,
  );
});

test('an unreadable configuration is refused with its place', async () => {
  assert.match((await faults('data: [\n'))[0] ?? '', /^file:1:the \[ here is never closed$/);
  assert.deepEqual(await faults('data: /d\n\tlisten: x'), [
    'file:2:a tab stands in the indentation; YAML allows spaces only',
  ]);
  // What stands on the line may be a secret.
  assert.deepEqual(await faults('data: /d\ndataKey canary-secret\nlisten: x'), [
    'file:2:behind the name of the field a colon and a space are missing',
  ]);
  assert.match((await faults('# Title\n```yaml\na: b: c\n```\n'))[0] ?? '', /^file:2:this is Markdown/);
  assert.deepEqual(await faults('data: /a\ndata: /b'), ['file:2:a field is written twice']);
  assert.deepEqual(await faults('a: &x [1]\nb: *x'), ['file:aliases are not allowed']);
  assert.deepEqual(await faults('- a'), ['file:1:this is not a list of settings']);
  assert.match((await faults(`data: ${'x'.repeat(300_000)}`))[0] ?? '', /larger than 256 KiB/);
  assert.match((await faults('__proto__: {listen: x}\ndata: /d'))[0] ?? '', /unknown setting "__proto__"/);
  await assert.rejects(loadConfig({ file: join(folder, 'none.yaml'), env: {} }), { code: 'unreadable' });
});

test('a secret may stand in a file of its own, and no message repeats one', async () => {
  const secretFile = fileOf('canary-secret\n');
  const oidc =
    'data: /d\npublicUrl: https://x.example\noidc:\n  issuer: https://idp.example\n  clientId: ipo\n';
  const inFile = await load(`${oidc}  clientSecretFile: ${secretFile}\n`);
  assert.equal(inFile.settings.oidc?.clientSecret?.reveal(), 'canary-secret');
  const inEnv = await load(oidc, { IPO_OIDC_CLIENT_SECRET_FILE: secretFile });
  assert.equal(inEnv.settings.oidc?.clientSecret?.reveal(), 'canary-secret');
  assert.match(
    (await faults(`${oidc}  clientSecretFile: ${secretFile}\n  clientSecret: canary-secret\n`))[0] ?? '',
    /both set/,
  );
  const wrong = await faults(
    `${oidc}  clientSecret: {a: canary-secret}\nadmin: {email: a, password: [canary-secret]}\n`,
  );
  assert.ok(wrong.length >= 3);
  assert.doesNotMatch(wrong.join('\n'), /canary/);
  assert.doesNotMatch(JSON.stringify(inFile), /canary/);
});

test('a mistyped variable is worth a warning, one that a cluster sets is not', async () => {
  const { warnings } = await load('data: /d\n', {
    IPO_LOG_LEVL: 'debug',
    IPO_SERVICE_HOST: '10.0.0.1',
    IPO_TOKEN: 'x',
  });
  assert.deepEqual(warnings, ['IPO_LOG_LEVL is not a setting; IPO_LOG_LEVEL is one']);
});

test('every setting has a meaning, and a variable of its own', () => {
  const list = listSettings();
  for (const { path, description } of list) assert.ok(description.length > 10, path);
  const names = list.flatMap(({ env, isSecret }) => (isSecret ? [env, `${env}_FILE`] : [env]));
  assert.equal(new Set(names).size, names.length);
});

test('docs/settings.md is what the settings are', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/settings.md'), 'utf8');
  assert.equal(page, settingsPage(), 'node scripts/docs.ts writes it again');
});
