import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { openMessengers } from '../../src/app/notify/messengers.ts';
import { openServiceOutbound } from '../../src/app/running/outbound.ts';
import { scannerEnvironment } from '../../src/app/scanning/scanner-environment.ts';
import { Secret } from '../../src/base/index.ts';
import type { TellerChannel } from '../../src/notify/index.ts';
import { makePair, outboundBy, PASSWORD, startProxy, startTarget } from '../adapters/proxy/connect-proxy.ts';
import { stillLine } from '../adapters/transport/loopback.ts';
import { messageOf } from '../notify/messages.ts';
import { withoutOpenssl } from './certificate.ts';
import { scratchDirectory, startRunning } from './running.ts';

async function until(holds: () => boolean, what: () => string): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    assert.ok(tries < 400, what());
    await delay(50);
  }
}

suite('a file of authorities', { skip: withoutOpenssl }, () => {
  const pair = withoutOpenssl === false ? makePair() : { cert: '', key: '' };
  const read = (t: TestContext, text: string): ReturnType<typeof openServiceOutbound> => {
    const caFile = join(scratchDirectory(t), 'ca.pem');
    writeFileSync(caFile, text);
    return openServiceOutbound({ noProxy: [], caFile }, {});
  };
  for (const [about, text] of [
    ['nothing', ''],
    ['something else', 'hello'],
    ['a damaged certificate', pair.cert.replace(/\n[A-Za-z0-9+/]{20}/, '\nAAAA')],
    ['a key beside the certificate', `${pair.cert}${pair.key}`],
  ] as const)
    test(`with ${about} keeps the service from starting`, async (t) => {
      await assert.rejects(read(t, text), (error: Error & { readonly hint?: string }) => {
        assert.match(error.message, /\/ca\.pem: outbound\.caFile does not contain only certificates/);
        assert.match(error.hint ?? '', /-----BEGIN CERTIFICATE-----/);
        assert.doesNotMatch(error.message, /PRIVATE/);
        return true;
      });
    });
  test('that is not there keeps the service from starting', async () => {
    const missing = openServiceOutbound({ noProxy: [], caFile: '/none/ca.pem' }, {});
    await assert.rejects(missing, /\/none\/ca\.pem/);
  });
  test('is trusted beside those of the system', async (t) => {
    const way = await read(t, `# company\n${pair.cert}\n${pair.cert}`);
    t.after(() => way.close());
    assert.equal(way.extra.length, 2);
    assert.ok((way.outbound.authorities?.length ?? 0) > 50);
  });

  test('is trusted for mail, which is sent directly', async (t) => {
    const server = new SMTPServer({
      ...{ ...pair, disableReverseLookup: true, logger: false, authOptional: true },
      onData: (stream, _, callback) => void stream.on('end', () => callback()).resume(),
    });
    server.on('error', () => undefined);
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    t.after(() => new Promise<void>((done) => server.close(done)));
    const { port } = server.server.address() as AddressInfo;
    const proxy = await startProxy(t, {});
    const send = async (extra: readonly string[]): Promise<unknown> => {
      const line = stillLine({ outbound: outboundBy(proxy.address, extra) });
      const key = async () => assert.fail('a mail is not signed');
      const messengers = openMessengers({ line, source: 'urn:ipo:test', key, clock: { now: () => 0 } });
      const channel = {
        kind: 'email',
        settings: {
          ...{ host: '127.0.0.1', port, security: 'starttls', username: null, password: null },
          ...{ from: 'ipo@example.com', to: ['ops@example.com'] },
        },
      } as unknown as TellerChannel;
      return (await messengers.open(channel, () => true)).send(messageOf());
    };
    await send([pair.cert]);
    await assert.rejects(send([]), /has a certificate that no trusted authority signed/);
    assert.deepEqual(proxy.targets, []);
  });

  test('and the proxy are given to scanners, in place of what our environment names', async (t) => {
    const directory = scratchDirectory(t);
    const proxy = new Secret('http://ipo:secret@proxy.example.com:3128');
    const caFile = join(directory, 'ca.pem');
    writeFileSync(caFile, pair.cert);
    const system = join(directory, 'system.pem');
    writeFileSync(system, '# of the system\n');
    const ours = { KUBERNETES_SERVICE_HOST: '10.96.0.1', SSL_CERT_FILE: system, https_proxy: 'http://other' };
    const way = await openServiceOutbound({ proxy, noProxy: ['.example.com'], caFile }, ours);
    t.after(() => way.close());
    const env = await scannerEnvironment(ours, way, directory);
    assert.equal(env['https_proxy'], proxy.reveal());
    assert.match(env['NO_PROXY'] ?? '', /,10\.96\.0\.1,\.example\.com$/);
    const bundle = readFileSync(env['SSL_CERT_FILE'] ?? '', 'utf8');
    assert.ok(bundle.includes(pair.cert.trim()) && bundle.includes('# of the system'));
    assert.deepEqual(await scannerEnvironment(ours, undefined, directory), ours);
  });
});

test(
  'a service calls by the proxy, does not log its password, and what is called directly is not sent there',
  { skip: withoutOpenssl },
  async (t) => {
    const pair = makePair();
    const kev =
      '{"count":1,"vulnerabilities":[{"cveID":"CVE-2026-0001","dateAdded":"2026-08-07","dueDate":"2026-08-28"}]}';
    const target = await startTarget(t, pair, (_, response) => void response.end(kev));
    let direct = 0;
    const beside = createServer((_, response) => {
      direct += 1;
      response.writeHead(404).end();
    });
    await new Promise<void>((done) => beside.listen(0, '127.0.0.1', done));
    t.after(() => void (beside.closeAllConnections(), beside.close()));
    const { port } = beside.address() as AddressInfo;
    const proxy = await startProxy(t, { 'feeds.proxied.test:443': target }, { login: true });
    const caFile = join(scratchDirectory(t), 'ca.pem');
    writeFileSync(caFile, pair.cert);
    const { log, url } = await startRunning(t, {
      env: {
        ...{ IPO_OUTBOUND_PROXY: proxy.address, IPO_OUTBOUND_CA_FILE: caFile },
        IPO_KEV_SOURCE: 'https://feeds.proxied.test/kev.json',
        IPO_END_OF_LIFE_SOURCE: `http://127.0.0.1:${port}/releases.json`,
        ...{ IPO_OIDC_ISSUER: 'https://login.proxied.test', IPO_OIDC_CLIENT_ID: 'ipo' },
        IPO_PUBLIC_URL: 'http://localhost:8080',
      },
    });
    await until(
      () => log.some((line) => line.includes('exploited vulnerabilities is a new one')) && direct > 0,
      () => log.join('\n'),
    );
    const begun = await fetch(`${url}/api/v1/session/oidc`, { redirect: 'manual' });
    assert.notEqual(begun.status, 404);
    assert.equal(proxy.targets[0], 'feeds.proxied.test:443');
    assert.ok(proxy.targets.includes('login.proxied.test:443'), proxy.targets.join(' '));
    assert.deepEqual([...new Set(proxy.targets)].toSorted(), [
      'feeds.proxied.test:443',
      'login.proxied.test:443',
    ]);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), btoa(`ipo:${PASSWORD}`)])
      assert.ok(!log.some((line) => line.includes(secret)), 'the password is in the log');
    assert.doesNotMatch(await begun.text(), /127\.0\.0\.1/, 'anyone can see the address of the proxy');
    assert.ok(log.some((line) => /the proxy 127\.0\.0\.1:\d+ answers with status 502/.test(line)));
  },
);
