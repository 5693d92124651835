import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { Agent, request } from 'undici';
import { httpAnchor } from '../../../src/adapters/anchors/index.ts';
import { openKevSource, openVexSource } from '../../../src/adapters/feeds/index.ts';
import { openSlack } from '../../../src/adapters/messengers/index.ts';
import { openIdentityProvider } from '../../../src/adapters/oidc/index.ts';
import { openTufTrust } from '../../../src/adapters/sigstore/index.ts';
import { fetchThrough, openConnector, type Outbound } from '../../../src/adapters/transport/index.ts';
import { serverState } from '../../../src/adapters/trivy/run-server.ts';
import type { SignedCheckpoint } from '../../../src/ledger/index.ts';
import { withoutOpenssl } from '../../app/certificate.ts';
import { messageOf } from '../../notify/messages.ts';
import { openClient, referenceTo } from '../../registry/open.ts';
import { stillLine, toTransport } from '../transport/loopback.ts';
import {
  makePair,
  outboundBy,
  PASSWORD,
  startProxy,
  startTarget,
  type ConnectProxy,
} from './connect-proxy.ts';

const NEVER = new AbortController().signal;
const KEV =
  '{"count":1,"vulnerabilities":[{"cveID":"CVE-2026-0001","dateAdded":"2026-08-07","dueDate":"2026-08-28"}]}';
const PUBLIC = { testLoopback: false, privateNetworks: 'allow', denied: [] } as const;
const clock = { now: () => 0 };
const json =
  (text: string): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(text);

const pair = withoutOpenssl === false ? makePair() : { cert: '', key: '' };

/** A kind of call, to a host that no name server knows. It rejects with the sentence that people get. */
interface Kind {
  readonly name: string;
  readonly target: string;
  readonly answer: RequestListener;
  call(t: TestContext, outbound: Outbound): Promise<unknown>;
}

const kinds: readonly Kind[] = [
  {
    name: 'a tracker',
    target: 'tracker.proxied.test:443',
    answer: json('{}'),
    call: async (_, outbound) => {
      const tracker = toTransport('https://tracker.proxied.test/api/v4', { outbound, rules: PUBLIC });
      return tracker.send({ method: 'GET', url: '/api/v4/user', headers: {} });
    },
  },
  {
    name: 'a channel',
    target: 'hooks.proxied.test:8443',
    answer: (_, response) => void response.end('ok'),
    call: (_, outbound) => {
      const line = stillLine({ outbound, rules: PUBLIC });
      const slack = openSlack('https://hooks.proxied.test:8443/services/T/B/x', () => true, line);
      return slack.send(messageOf());
    },
  },
  {
    name: 'a feed',
    target: 'feeds.proxied.test:443',
    answer: json(KEV),
    call: async (_, outbound) => {
      const url = new URL('https://feeds.proxied.test/kev.json');
      return openKevSource(url.href, { kind: 'http', url }, { outbound })?.ask(null, NEVER);
    },
  },
  {
    name: 'a VEX document',
    target: 'vex.proxied.test:443',
    answer: json('{}'),
    call: async (_, outbound) => {
      const document = { kind: 'http', url: new URL('https://vex.proxied.test/a.json') } as const;
      return openVexSource('vex', { document, bundle: document }, { outbound }).read(NEVER);
    },
  },
  {
    name: 'a registry',
    target: 'registry.proxied.test:443',
    answer: (_, response) =>
      void response.writeHead(200, { 'docker-content-digest': `sha256:${'a'.repeat(64)}` }).end(),
    call: async (t, outbound) => {
      const client = openClient(t, { outbound, loopback: false });
      return client.digestOf(referenceTo('registry.proxied.test', 'app:1'), { signal: NEVER });
    },
  },
  {
    name: 'the identity provider',
    target: 'login.proxied.test:443',
    answer: json(
      JSON.stringify({
        issuer: 'https://login.proxied.test',
        authorization_endpoint: 'https://login.proxied.test/auth',
        token_endpoint: 'https://login.proxied.test/token',
        jwks_uri: 'https://login.proxied.test/keys',
      }),
    ),
    call: async (_, outbound) =>
      openIdentityProvider({
        ...{ issuer: 'https://login.proxied.test', clientId: 'ipo', clientSecret: null, scopes: ['openid'] },
        ...{ redirectUri: 'https://ipo.example.com/callback', clock, outbound },
      }).begin(),
  },
  {
    name: 'an anchor',
    target: 'anchor.proxied.test:443',
    answer: (_, response) => void response.end(),
    call: async (_, outbound) =>
      httpAnchor({ url: 'https://anchor.proxied.test/notes', token: 'secret', outbound }).publish(
        { note: 'a note', size: 1, root: '', at: 0 } as SignedCheckpoint,
        { notes: [], version: null },
      ),
  },
  {
    name: 'a server of Trivy',
    target: 'trivy.proxied.test:443',
    answer: json('{"Version":"0.70.0"}'),
    call: async (_, outbound) => serverState('https://trivy.proxied.test', {}, NEVER, outbound),
  },
  {
    name: 'what a library calls by fetch',
    target: 'library.proxied.test:443',
    answer: json('{}'),
    call: async (_, outbound) => {
      const restore = fetchThrough(outbound);
      try {
        return await (await fetch('https://library.proxied.test/x')).text();
      } finally {
        restore();
      }
    },
  },
];

async function world(t: TestContext, { target, answer }: Kind, login = false): Promise<ConnectProxy> {
  return startProxy(t, { [target]: await startTarget(t, pair, answer) }, { login });
}

/** Everything that people or a log can see of an error. */
function shown(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause)
    parts.push(
      `${at.message} ${at.stack ?? ''} ${JSON.stringify(at)} ${String((at as { hint?: string }).hint)}`,
    );
  return parts.join('\n');
}

async function fault(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    (value) => assert.fail(`it did not fail: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  const text = shown(error);
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), btoa(`ipo:${PASSWORD}`)])
    assert.ok(!text.includes(secret), `a secret shows in ${text}`);
  return text;
}

for (const kind of kinds)
  suite(`${kind.name} through a proxy`, { skip: withoutOpenssl }, () => {
    test('is called in a tunnel, as one whose authority is trusted', async (t) => {
      const proxy = await world(t, kind, true);
      await kind.call(t, outboundBy(proxy.address, [pair.cert]));
      assert.ok(proxy.targets.length > 0);
      assert.deepEqual([...new Set(proxy.targets)], [kind.target]);
    });
    test('is not trusted without its authority', async (t) => {
      const proxy = await world(t, kind);
      const text = await fault(kind.call(t, outboundBy(proxy.address)));
      assert.match(text, /certificate|cannot be reached|does not answer|self-signed/);
      assert.deepEqual([...new Set(proxy.targets)], [kind.target]);
    });
    for (const [status, words] of [
      [407, /the proxy 127\.0\.0\.1:\d+ asks for a user name and password \(status 407\)/],
      [403, /the proxy 127\.0\.0\.1:\d+ denies it \(status 403\)/],
      [502, /the proxy 127\.0\.0\.1:\d+ answers with status 502/],
    ] as const)
      test(`a proxy that answers ${status} is named with what to do`, async (t) => {
        const proxy = await world(t, kind);
        proxy.status = status;
        assert.match(await fault(kind.call(t, outboundBy(proxy.address, [pair.cert]))), words);
      });
    test('a proxy that is away is named, without its password', async (t) => {
      const { port } = await startProxy(t, {});
      const away = `http://ipo:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port === 1 ? 2 : 1}`;
      const text = await fault(kind.call(t, outboundBy(away, [pair.cert])));
      assert.match(text, /the proxy 127\.0\.0\.1:1 refuses connections/);
    });
    test('a host of noProxy is called without it', async (t) => {
      const proxy = await world(t, kind);
      const text = await fault(kind.call(t, outboundBy(proxy.address, [pair.cert], ['.proxied.test'])));
      assert.match(text, /not a known host|looked up|ENOTFOUND|EAI_AGAIN|does not answer|cannot be reached/);
      assert.doesNotMatch(text, /the proxy/);
      assert.deepEqual(proxy.targets, []);
    });
  });

suite('proxies', { skip: withoutOpenssl }, () => {
  const [tracker] = kinds;
  assert.ok(tracker);
  test('a wrong password is said to be one', async (t) => {
    const proxy = await world(t, tracker, true);
    const wrong = proxy.address.replace('ipo:', 'ipo:wrong');
    const text = await fault(tracker.call(t, outboundBy(wrong, [pair.cert])));
    assert.match(text, /does not accept the user name and password \(status 407\)/);
  });
  test('a proxy is called by HTTPS, with the same authorities', async (t) => {
    const port = await startTarget(t, pair, tracker.answer);
    const proxy = await startProxy(t, { [tracker.target]: port }, { secure: pair });
    await tracker.call(t, outboundBy(proxy.address, [pair.cert]));
    assert.deepEqual(proxy.targets, [tracker.target]);
    const text = await fault(tracker.call(t, outboundBy(proxy.address)));
    assert.match(text, /the proxy 127\.0\.0\.1:\d+ has a certificate that no trusted authority signed/);
  });
  test('forbidden addresses are not called through a proxy either', async (t) => {
    const proxy = await startProxy(t, {});
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '10.96.0.1']) {
      const rules = { ...PUBLIC, denied: ['10.96.0.1'] };
      const connect = openConnector({ rules, timeoutMs: 1000, outbound: outboundBy(proxy.address) });
      const agent = new Agent({ connect });
      const text = await fault(request(`https://${host}/`, { dispatcher: agent }));
      assert.match(text, /reserved, link-local or a metadata service|never calls/);
    }
    assert.deepEqual(proxy.targets, []);
  });
  test('a proxy that never answers is waited for no longer than the call', async (t) => {
    const silent = await startTarget(t, pair, () => undefined);
    const outbound = outboundBy(`http://127.0.0.1:${silent}`);
    const one = toTransport('https://tracker.proxied.test/api', { outbound, rules: PUBLIC, timeoutMs: 300 });
    const text = await fault(one.send({ method: 'POST', url: '/api/x', headers: {}, body: '{}' }));
    assert.match(
      text,
      /tracker\.proxied\.test (?:did not answer within 0\.3 s|cannot be reached: the proxy)/,
    );
  });
  test('authorities are trusted without a proxy, too', async (t) => {
    const port = await startTarget(t, pair, json('{}'));
    const call = (extra: readonly string[]): Promise<unknown> =>
      toTransport(`https://127.0.0.1:${port}/api`, { outbound: outboundBy(null, extra) }).send({
        ...{ method: 'GET', url: '/api/x', headers: {} },
      });
    await call([pair.cert]);
    assert.match(await fault(call([])), /no trusted authority/);
  });
  test('the trust root of Sigstore is fetched the same way, and the log says what the proxy did', async (t) => {
    const proxy = await startProxy(t, {});
    proxy.status = 403;
    const cachePath = mkdtempSync(join(tmpdir(), 'ipo-tuf-'));
    t.after(() => rmSync(cachePath, { recursive: true, force: true }));
    const causes: unknown[] = [];
    const quiet = (): void => undefined;
    const log = {
      ...{ debug: quiet, info: quiet, error: quiet },
      warn: (_: string, keys: Readonly<Record<string, unknown>> = {}) => void causes.push(keys['cause']),
    };
    const mirror = 'https://tuf-repo-cdn.sigstore.dev';
    const restore = fetchThrough(outboundBy(proxy.address));
    t.after(restore);
    await openTufTrust({ mirror, rootPath: null, cachePath, clock, log }).current(NEVER);
    assert.deepEqual([...new Set(proxy.targets)], ['tuf-repo-cdn.sigstore.dev:443']);
    assert.match(String(causes[0]), /the proxy 127\.0\.0\.1:\d+ denies it \(status 403\)/);
  });
});
