import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../daemon/main.ts';
import { openServiceClient } from '../../src/adapters/service/index.ts';
import { scratchDirectory } from '../app/running.ts';
import { startDaemon } from './ipod.ts';

test('the daemon serves from a file of settings until SIGTERM, and starts again with what it had', async (t) => {
  const data = scratchDirectory(t);
  const config = join(data, 'ipo.yaml');
  writeFileSync(config, `data: ${data}\nlisten: 127.0.0.1:0\n`);
  const first = startDaemon(t, ['--config', config]);
  const url = await first.url;
  assert.ok(url, (await Promise.race([first.ended, Promise.resolve(null)]))?.err);
  const answer = await fetch(`${url}/api/v1/policies`);
  assert.equal(answer.status, 401);
  const health = await fetch(`${url}/readyz`);
  assert.equal(await health.text(), 'ok\n');
  first.process.kill('SIGTERM');
  const ended = await first.ended;
  assert.deepEqual([ended.code, ended.signal, ended.err], [0, null, '']);
  for (const line of ended.out.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
  assert.match(ended.out, /"message":"stopped"/);

  const second = startDaemon(t, [], { IPO_DATA: data, IPO_LISTEN: '127.0.0.1:0' });
  assert.ok(await second.url);
  second.process.kill('SIGINT');
  assert.equal((await second.ended).code, 0);
});

test('a request under way ends before the service does', async (t) => {
  const data = scratchDirectory(t);
  const daemon = startDaemon(t, [], { IPO_DATA: data, IPO_LISTEN: '127.0.0.1:0' });
  const url = (await daemon.url) ?? '';
  const { port } = new URL(url);
  // A body that does not come to its end keeps a request under way.
  const socket = connect(Number(port), '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.on('error', () => {});
  const body = '{"email":"a@example.com","password":"not the password"}';
  socket.write(
    `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
  );
  await openServiceClient({ server: url, token: null }).json('GET /openapi.json');
  daemon.process.kill('SIGTERM');
  const refused = await waitFor(async () => {
    try {
      await fetch(`${url}/healthz`);
      return null;
    } catch {
      return true;
    }
  });
  assert.ok(refused, 'nothing new is accepted');
  const answer = new Promise<string>((resolve) => {
    let got = '';
    socket.on('data', (bytes: Buffer) => (got += bytes.toString()));
    socket.on('close', () => resolve(got));
  });
  socket.write(body.slice(1));
  assert.match(await answer, /^HTTP\/1\.1 401 /, 'what was under way is answered');
  assert.equal((await daemon.ended).code, 0);
});

test('ipo serve needs only a directory, and says where it is, how to sign in and what to try', async (t) => {
  const home = scratchDirectory(t);
  const args = ['serve', '--listen', '127.0.0.1:0'];
  const serving = startDaemon(t, args, { XDG_DATA_HOME: home }, 'bin/main.ts');
  const url = await serving.url;
  serving.process.kill('SIGINT');
  const { code, out, err } = await serving.ended;
  assert.equal(code, 0, err);
  assert.ok(out.includes(`Address      ${url}\n`), out);
  assert.ok(out.includes(`Data         ${join(home, 'ipo')}\n`), out);
  assert.match(out, /Setup code {3}([a-z2-7]{5}-){4}[a-z2-7]{5}\n/);
  assert.ok(out.includes(`ipo login ${url} --setup\n`), out);
  for (const line of err.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
});

test('what keeps it from starting is said in a line, with the exit code that belongs to it', async (t) => {
  const data = scratchDirectory(t);
  const wrong = join(data, 'wrong.yaml');
  writeFileSync(wrong, 'dat: x\nlog: {level: loud}\n');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const taken = { IPO_DATA: join(data, 'a'), IPO_LISTEN: `127.0.0.1:${port}` };
  const [level, name] = ['log.level: must be one of debug, info, warn, error', 'unknown setting "dat"'];
  const cases = [
    [
      ['--config', wrong],
      {},
      2,
      `ipod: ${wrong}:2:7: ${level}\nipod: ${wrong}:1:1: ${name}\n  Did you mean data?\n`,
    ],
    [
      ['--config', wrong, '--check'],
      {},
      2,
      `ipod: ${wrong}:2:7: ${level}\nipod: ${wrong}:1:1: ${name}\n  Did you mean data?\n`,
    ],
    [
      ['--check'],
      { IPO_DATA: data, IPO_LOG_LEVL: 'x' },
      0,
      'ipod: IPO_LOG_LEVL is not a setting; IPO_LOG_LEVEL is one\n',
    ],
    [['--config', join(data, 'none.yaml')], {}, 3, /^ipod: .*none\.yaml: no such file or directory\n/],
    [['--nonsense'], {}, 2, /^ipod: Unknown option '--nonsense'.*\n {2}See ipod --help\.\n$/],
    [[], taken, 3, /^ipod: 127\.0\.0\.1:\d+ is taken by another program\n/],
  ] as const;
  for (const [args, env, code, err] of cases) {
    const ran = await inProcess(args, env);
    assert.equal(ran.code, code, ran.err);
    if (typeof err === 'string') assert.equal(ran.err, err);
    else assert.match(ran.err, err);
    assert.doesNotMatch(ran.err, /\n\s+at /);
  }
});

test('ipod.8 names every flag, and no other', async () => {
  const { out, code } = await inProcess(['--help']);
  assert.equal(code, 0);
  const page = readFileSync(new URL('../../man/ipod.8', import.meta.url), 'utf8').replaceAll('\\-', '-');
  const flagsOf = (text: string): string[] =>
    [...new Set([...text.matchAll(/--[a-z]+/g)].map(([flag]) => flag))].toSorted();
  assert.deepEqual(flagsOf(page), flagsOf(out));
});

test('a container can ask whether its service lives', async (t) => {
  const [data, port] = [scratchDirectory(t), await freePort()];
  const env = { IPO_DATA: data, IPO_LISTEN: `127.0.0.1:${port}` };
  const dead = await inProcess(['--health'], env);
  assert.deepEqual([dead.code, dead.err], [3, `ipod: the service does not answer on 127.0.0.1:${port}\n`]);
  await startDaemon(t, [], env).url;
  assert.equal((await inProcess(['--health'], env)).code, 0);
});

/** The daemon's own program in this process, which must end by itself. */
async function inProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await run(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env,
    tty: { in: false, out: false, err: false },
    columns: 100,
    stdin: (async function* () {})(),
  });
  return { code, out, err };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks again, one turn of the loop after another, until there is an answer. */
async function waitFor<T>(act: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await act();
    if (answer !== null) return answer;
  }
}
