import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TrackerError } from '../../../src/trackers/index.ts';
import { withoutOpenssl } from '../../app/certificate.ts';
import { toTransport } from '../transport/loopback.ts';
import { makePair, outboundBy, startProxy, startTarget } from './connect-proxy.ts';

const PROGRAM = process.env['TINYPROXY_BIN'] ?? 'tinyproxy';
const skip =
  withoutOpenssl !== false
    ? withoutOpenssl
    : (() => {
        try {
          execFileSync(PROGRAM, ['-v'], { stdio: 'ignore' });
          return false;
        } catch {
          return 'tinyproxy is neither on the PATH nor named by TINYPROXY_BIN';
        }
      })();

/** A tinyproxy that reaches the names of the test by a proxy of ours, since no name server knows them. */
async function startTiny(t: TestContext, upstream: number, more: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-tinyproxy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = join(folder, 'tinyproxy.conf');
  writeFileSync(
    config,
    [
      ...[`Port ${port}`, 'Listen 127.0.0.1', 'Allow 127.0.0.1', 'Timeout 20', 'MaxClients 20'],
      ...[`Upstream http 127.0.0.1:${upstream}`, `LogFile "${join(folder, 'log')}"`, ...more, ''],
    ].join('\n'),
  );
  const child = spawn(PROGRAM, ['-d', '-c', config], { stdio: 'ignore' });
  t.after(async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill();
    await ended;
  });
  for (let tries = 0; !(await answers(port)); tries += 1) {
    assert.ok(tries < 100, 'tinyproxy does not start');
    await delay(50);
  }
  return port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done((socket.destroy(), true)));
    socket.on('error', () => done(false));
  });
}

suite('tinyproxy', { skip }, () => {
  async function world(t: TestContext, more: readonly string[]) {
    const pair = makePair();
    const target = await startTarget(t, pair, (_, response) => void response.end('{}'));
    const ours = await startProxy(t, { 'tracker.proxied.test:443': target });
    const port = await startTiny(t, ours.port, more);
    const get = async (user = ''): Promise<string> => {
      const outbound = outboundBy(`http://${user}127.0.0.1:${port}`, [pair.cert]);
      const rules = { testLoopback: false, privateNetworks: 'allow', denied: [] } as const;
      const transport = toTransport('https://tracker.proxied.test/api', { outbound, rules });
      return (await transport.send({ method: 'GET', url: '/api/x', headers: {} })).text;
    };
    return { ours, get };
  }

  const refusal = (words: RegExp) => (error: unknown) =>
    error instanceof TrackerError && error.happened === 'no' && words.test(error.message);

  test('opens a tunnel', async (t) => {
    const { ours, get } = await world(t, []);
    assert.equal(await get(), '{}');
    assert.deepEqual(ours.targets, ['tracker.proxied.test:443']);
  });
  test('asks for a user name and password', async (t) => {
    const { get } = await world(t, ['BasicAuth ipo secret']);
    assert.equal(await get('ipo:secret@'), '{}');
    await assert.rejects(get(), refusal(/asks for a user name and password \(status 40[17]\)/));
    await assert.rejects(get('ipo:wrong@'), refusal(/does not accept the user name and password/));
  });
  test('denies a port', async (t) => {
    const { ours, get } = await world(t, ['ConnectPort 8443']);
    await assert.rejects(get(), refusal(/the proxy 127\.0\.0\.1:\d+ denies it \(status 403\)/));
    assert.deepEqual(ours.targets, []);
  });
  test('cannot reach the host', async (t) => {
    const { ours, get } = await world(t, []);
    ours.status = 503;
    await assert.rejects(get(), refusal(/cannot be reached: the proxy 127\.0\.0\.1:\d+ answers with status/));
  });
});
