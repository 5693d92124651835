import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  forgetServer,
  readServiceConfig,
  rememberServer,
  serviceConfigPath,
} from '../../bin/service/config.ts';
import { findService, openService } from '../../bin/service/client.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';

/** A terminal with a directory of its own for settings, and the given environment and stdin. */
function terminal(t: TestContext, env: Record<string, string> = {}, stdin = ''): Terminal {
  const home = mkdtempSync(join(tmpdir(), 'ipo-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(stdin);
  }
  const nothing = (): void => {};
  return {
    out: nothing,
    err: nothing,
    env: { XDG_CONFIG_HOME: home, ...env },
    tty: { in: false, out: false, err: false },
    columns: 100,
    stdin: input(),
  };
}

const SERVER = 'https://ipo.example.com';

test('only its owner reads the file of services, and it is written whole', (t) => {
  const { env } = terminal(t);
  const path = serviceConfigPath(env);
  rememberServer(env, SERVER, { token: 'secret-one' });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  rememberServer(env, 'https://two.example.com', { token: 'secret-two', ca: '/etc/ca.pem' });
  assert.deepEqual(readServiceConfig(env), {
    current: 'https://two.example.com',
    servers: {
      [SERVER]: { token: 'secret-one' },
      'https://two.example.com': { token: 'secret-two', ca: '/etc/ca.pem' },
    },
  });
  assert.equal(forgetServer(env, 'https://two.example.com'), true);
  assert.equal(forgetServer(env, 'https://two.example.com'), false);
  assert.equal(readServiceConfig(env).current, SERVER);
  assert.doesNotMatch(readFileSync(path, 'utf8'), /secret-two/);
  assert.deepEqual(readdirSync(dirname(path)), ['config.json'], 'nothing is left beside it');
});

test('a file that others may read, or that is none of ours, is refused', (t) => {
  const { env } = terminal(t);
  const path = serviceConfigPath(env);
  rememberServer(env, SERVER, { token: 'canary' });
  chmodSync(path, 0o644);
  assert.throws(() => readServiceConfig(env), { code: 'unreadable', hint: `Call: chmod 600 ${path}` });
  chmodSync(path, 0o600);
  for (const text of ['', '{', '[]', 'null', '{"servers":[]}', '{"servers":{"https://x":"canary"}}']) {
    writeFileSync(path, text);
    assert.throws(
      () => readServiceConfig(env),
      (error: Error & { code?: string }) => error.code === 'invalid_config' && !/canary/.test(error.message),
      text,
    );
  }
  writeFileSync(
    path,
    '{"current":"https://gone","servers":{"__proto__":{"token":"x"},"https://y":{"token":7,"more":1}}}',
  );
  const { current, servers } = readServiceConfig(env);
  assert.equal(current, null);
  assert.deepEqual(servers['https://y'], { token: null });
});

test('the flag goes before the environment, which goes before the service signed in to last', async (t) => {
  const at = terminal(t);
  await assert.rejects(findService(at, {}), { code: 'usage', hint: /ipo login SERVER/ });
  rememberServer(at.env, SERVER, { token: 'kept' });
  assert.deepEqual(await findService(at, {}), {
    server: SERVER,
    token: 'kept',
    ca: undefined,
    caPath: undefined,
  });
  const named = {
    ...at,
    env: { ...at.env, IPO_SERVER: 'https://env.example.com', IPO_TOKEN: ' env-token\n' },
  };
  assert.equal((await findService(named, {})).server, 'https://env.example.com');
  assert.equal((await findService(named, {})).token, 'env-token');
  assert.equal((await findService(named, { server: 'flag.example.com' })).server, 'https://flag.example.com');
  const empty = { ...at, env: { ...at.env, IPO_SERVER: '', IPO_TOKEN: ' ' } };
  assert.equal((await findService(empty, {})).token, 'kept', 'an empty variable is not set');
});

test('a stored token goes only to its own service', async (t) => {
  const at = terminal(t);
  rememberServer(at.env, SERVER, { token: 'kept' });
  assert.equal((await findService(at, { server: 'https://other.example.com' })).token, null);
  await assert.rejects(openService(at, { server: 'https://other.example.com' }), {
    code: 'unauthenticated',
    hint: /ipo login https:\/\/other\.example\.com/,
  });
});

test('a token comes from stdin, and what is none is said without being shown', async (t) => {
  const stdin = await findService(terminal(t, { IPO_SERVER: SERVER }, 'ipo_token\n'), { tokenStdin: true });
  assert.equal(stdin.token, 'ipo_token');
  await assert.rejects(findService(terminal(t, { IPO_SERVER: SERVER }, ''), { tokenStdin: true }), {
    code: 'usage',
    message: 'stdin contains no token',
  });
  const wrong = findService(terminal(t, { IPO_SERVER: SERVER, IPO_TOKEN: 'canary with a blank' }), {});
  await assert.rejects(
    wrong,
    (error: Error & { code?: string }) => error.code === 'usage' && !/canary/.test(error.message),
  );
});

test('a certificate authority is read from its file', async (t) => {
  const at = terminal(t, { IPO_SERVER: SERVER });
  await assert.rejects(findService(at, { ca: '/nothing/ca.pem' }), { code: 'unreadable' });
  rememberServer(at.env, SERVER, { token: null, ca: serviceConfigPath(at.env) });
  assert.match((await findService(at, {})).ca ?? '', /"servers"/);
});
