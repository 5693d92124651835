import assert from 'node:assert/strict';
import { Socket, type LookupFunction } from 'node:net';
import { beforeEach, suite, test } from 'node:test';
import { openWriterQueues, parseBase, type AddressRules } from '../../../src/adapters/transport/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import { FAKE_KINDS } from '../../../fakes/index.ts';
import { hostileUrls } from '../../channels/hostile-urls.ts';
import { openAt } from '../tracker-parts.ts';
import { CANARY, LOOPBACK, startLoopback, stillClock, toTransport } from './loopback.ts';

/** Addresses that any socket of this process tried to connect to, whoever made it and whether somebody listened there. */
const attempts: string[] = [];
const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...given: never[]): Socket {
  this.on('connectionAttempt', (address) => attempts.push(address));
  return Reflect.apply(connect, this, given) as Socket;
};

const FORBIDDEN = [
  '169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0.0.0.0',
  '::',
  'fe80::1',
  '100.100.100.200',
  'fd00:ec2::254',
  '10.96.0.1',
] as const;
const LOOKS: AddressRules = { ...LOOPBACK, denied: ['10.96.0.1'] };
const STRICT: AddressRules = { testLoopback: false, privateNetworks: 'allow', denied: ['10.96.0.1'] };

/** The ends of addresses in the forms of the providers. */
const PATHS = {
  github: '',
  'github-enterprise': '/api/v3',
  gitlab: '/api/v4',
  'jira-cloud': '',
  'jira-gateway': '/ex/jira/11223344-a1b2-4b3c-8d4e-5f6a7b8c9d0e',
  'jira-datacenter': '/jira',
} as const;

suite('connections that are tried', () => {
  beforeEach(() => void attempts.splice(0));

  test('whatever is tried is seen, over TLS too', async (t) => {
    const server = await startLoopback(t, (_seen, response) => response.end('{}'));
    for (const scheme of ['http', 'https']) {
      const base = parseBase(`${scheme}://127.0.0.1:${server.port}`, LOOPBACK);
      const sent = toTransport(server.url, { base }).send({ method: 'GET', url: `${base.href}x` });
      if (scheme === 'http') await sent;
      else await assert.rejects(sent, (error) => error instanceof TrackerError && error.fault === 'network');
    }
    assert.deepEqual(attempts, ['127.0.0.1', '127.0.0.1']);
  });

  test('of a name that flips 1,000 times each answer that is allowed is connected to, and no other is even tried', async (t) => {
    const server = await startLoopback(t, (_seen, response) => response.end('{"ok":true}'));
    let flips = 0;
    const lookup: LookupFunction = (_host, options, callback) => {
      const turn = flips++;
      const bad = FORBIDDEN[(turn >> 1) % FORBIDDEN.length] ?? '';
      const address = turn % 2 === 0 ? '127.0.0.1' : bad;
      const family = address.includes(':') ? 6 : 4;
      // A forbidden one also hides behind one that is allowed.
      const all = [{ address, family }];
      if (turn % 4 === 3) all.unshift({ address: '127.0.0.1', family: 4 });
      if (options.all === true) callback(null, all);
      else callback(null, address, family);
    };
    const clock = stillClock();
    const queue = openWriterQueues({ clock, wait: clock.wait }).of('localhost', new Secret('t'));
    const transport = toTransport(`http://localhost:${server.port}`, { lookup, rules: LOOKS, queue });
    for (let turn = 0; turn < 1000; turn += 1) {
      clock.pass(60_000);
      const method = turn % 3 === 0 ? 'GET' : 'PUT';
      const sent = transport.send({
        method,
        url: `${transport.base.href}projects/1`,
        ...(method === 'PUT' && { body: '{}' }),
      });
      if (turn % 2 === 0) assert.equal((await sent).status, 200);
      else
        await assert.rejects(
          sent,
          (error) => error instanceof TrackerError && error.fault === 'address' && error.happened === 'no',
        );
    }
    assert.deepEqual([flips, server.seen.length], [1000, 500]);
    assert.equal(attempts.length, 500);
    assert.deepEqual([...new Set(attempts)], ['127.0.0.1']);
  });

  for (const kind of FAKE_KINDS)
    test(`${kind}: for none of more than 300 hostile forms of its address a connection is tried, whatever names resolve to`, async () => {
      let looked = 0;
      const lookup: LookupFunction = (_host, options, callback) => {
        const address = ['127.0.0.1', '::1', ...FORBIDDEN][looked++ % (FORBIDDEN.length + 2)] ?? '';
        const family = address.includes(':') ? 6 : 4;
        if (options.all === true) callback(null, [{ address, family }]);
        else callback(null, address, family);
      };
      const forms = hostileUrls(PATHS[kind]);
      assert.ok(forms.length > 300, String(forms.length));
      for (const apiBaseUrl of forms) {
        const open = () =>
          openAt(kind, CANARY, {
            settings: { apiBaseUrl, email: 'bot@example.com' },
            line: { rules: STRICT, lookup, timeoutMs: 2000 },
          });
        const ref = { key: kind.startsWith('jira') ? 'SEC-1' : 'acme/shop#1', url: '', id: '7' };
        await assert.rejects(
          async () => open().close(ref, 'fixed'),
          (error) => {
            assert.ok(error instanceof TrackerError, `${JSON.stringify(apiBaseUrl)}: ${String(error)}`);
            return error.fault === 'address' && error.happened === 'no';
          },
          apiBaseUrl,
        );
      }
      assert.deepEqual(attempts, []);
    });
});
