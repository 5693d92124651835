import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import { Secret } from '../../../src/base/index.ts';
import {
  openOnLine,
  openWriterQueues,
  parseBase,
  type AddressRules,
} from '../../../src/adapters/transport/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import { CANARY, startLoopback, stillClock } from './loopback.ts';

const RULES: AddressRules = { testLoopback: false, privateNetworks: 'allow', denied: [] };

test('addresses in the forms of the providers are taken as they are', () => {
  const forms = [
    'https://api.github.com',
    'https://github.example.com/api/v3',
    'https://gitlab.com/api/v4',
    'https://code.example/gitlab/api/v4',
    'https://team.atlassian.net',
    'https://api.atlassian.com/ex/jira/11223344-a1b2-3b33-c444-def123456789',
    'https://jira.example:8443/jira',
    'https://10.1.2.3/api/v4',
    'https://[fd12:3456::1]/api/v4',
  ];
  for (const form of forms) assert.equal(parseBase(form, RULES).href.replace(/\/$/, ''), form);
  assert.equal(parseBase('https://API.GitHub.com/', RULES).href, 'https://api.github.com/');
  assert.equal(parseBase('https://host.example/api/v4/', RULES).pathname, '/api/v4');
});

test('plain HTTP is taken only from this machine, and only under the setting for tests', () => {
  const open = { ...RULES, testLoopback: true };
  assert.equal(parseBase('http://127.0.0.1:8080/api/v4', open).port, '8080');
  assert.equal(parseBase('http://localhost:8080', open).hostname, 'localhost');
  for (const form of ['http://10.0.0.1', 'http://gitlab.example/api/v4', 'http://localhost.example'])
    assert.throws(() => parseBase(form, open), TrackerError);
  assert.throws(() => parseBase('http://127.0.0.1:8080', RULES), TrackerError);
  assert.throws(() => parseBase('https://localhost', RULES), TrackerError);
});

/** Hosts that lead to this machine, to a metadata service or to another place than they say. */
function hostileHosts(port: number): string[] {
  const numbers = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '0x7F.0x0.0x0.0x1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    '00.0.0.0',
    '0x0',
    '%31%32%37.0.0.1',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '127．0．0．1',
    '127｡0｡0｡1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[0000::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ｌｏｃａｌｈｏｓｔ',
    'loc\u00adalhost',
    'loc\u200balhost',
    '127.0.0.1%00.example',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '[::ffff:a9fe:a9fe]',
    '[fe80::1]',
    '[fe80::1%25eth0]',
    '[fd00:ec2::254]',
    '[64:ff9b::a9fe:a9fe]',
    '100.100.100.200',
    '168.63.129.16',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.0.192',
    '[ff02::1]',
  ];
  return numbers.flatMap((host) => [host, `${host}:${port}`]);
}

/** Forms around a host that make it another one, or lead elsewhere. */
function hostileForms(port: number): string[] {
  const here = `127.0.0.1:${port}`;
  return [
    ...hostileHosts(port).flatMap((host) => [`https://${host}/api/v4`, `http://${host}/`, `https://${host}`]),
    ...[
      `https://user:pw@good.example@${here}/`,
      `https://good.example@${here}/`,
      `https://good.example%40${here}/`,
      `https://${here}@good.example/`,
      `https://${here}\\@good.example/`,
      `https://good.example\\@${here}/`,
      `https:\\\\${here}/`,
      `https:/\\${here}/`,
      `https:${here}/`,
      `https:///${here}/`,
      `https://${here}#@good.example/`,
      `https://${here}?@good.example/`,
      `https://good.example#@${here}`,
      `https://good.example/?u=http://${here}`,
      `https://good.example/../${here}`,
      'https://good.example/%2e%2e/x',
      'https://good.example/a/./b',
      'https://good.example/a%2fb',
      'https://good.example/a%5cb',
      'https://good.example//api/v4',
      'https://good.example/api/v4?private_token=x',
      'https://good.example/api/v4#x',
      ' https://good.example',
      'https://good.example ',
      'https://good.example\n',
      `https://good.example\r\nHost: ${here}`,
      'https://good.example\t/api',
      'https://good .example/',
      'https://good.example:0x50/',
      'https://good.example:99999/',
      'https://good.example:-1/',
      'https://:443/',
      'https://',
      'https:',
      '',
      '/',
      '//127.0.0.1/',
      `//${here}/`,
      here,
      'file:///etc/passwd',
      `ftp://${here}/`,
      `gopher://${here}/_x`,
      `javascript:fetch("http://${here}")`,
      'data:text/plain,x',
      `ws://${here}/`,
      `wss://${here}/`,
      `http+unix://%2Fvar%2Frun%2Fdocker.sock/`,
      `unix:/var/run/docker.sock`,
      `jar:http://${here}!/`,
      `HTTPS://${here}`,
      `hTTp://${here}`,
      `https://[::1`,
      'https://[::g]/',
      'https://[::1]x/',
      'https://[v1.x]/',
      'https://good.example..',
      'https://.good.example./',
      'https://xn--/',
      `https://${'a'.repeat(600)}.example/`,
      'https://bücher.example/',
      'https://goоd.example/',
      'https://good.example\u2028/',
      'https://good\u3002example/',
      'https://%67ood.example/',
      'https://good.example\0/',
    ],
  ];
}

test('of 300 and more hostile forms of an address none leads to a forbidden connection', async (t) => {
  const trap = await startLoopback(t, (_seen, response) => response.end('{}'));
  const clock = stillClock();
  const queues = openWriterQueues({ clock, wait: clock.wait });
  const forms = hostileForms(trap.port);
  assert.ok(forms.length >= 300, `${forms.length} forms`);
  const looked: string[] = [];
  // A host that is taken for a name is never found, so that only an address can lead to the trap.
  const lookup: LookupFunction = (host, _options, callback) => {
    looked.push(host);
    callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 0);
  };
  const line = { rules: RULES, queues, clock, userAgent: 'ipo/test', timeoutMs: 2000, lookup };
  for (const apiBaseUrl of forms) {
    const call = async (): Promise<unknown> => {
      const transport = openOnLine(line, {
        apiBaseUrl,
        token: new Secret(CANARY),
        credential: { 'private-token': new Secret(CANARY) },
        headers: {},
        guard: () => true,
        explain: () => '',
      });
      return transport.send({ method: 'GET', url: `${transport.base.href.replace(/\/$/, '')}/projects/1` });
    };
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof TrackerError, `${JSON.stringify(apiBaseUrl)} threw ${String(error)}`);
      assert.ok(['address', 'network'].includes(error.fault), `${apiBaseUrl}: ${error.fault}`);
      assert.equal(error.happened, 'no');
      return true;
    });
  }
  assert.equal(trap.connections(), 0);
  assert.equal(trap.seen.length, 0);
  assert.deepEqual(
    looked.filter((host) => !/^(?:good\.example|xn--)/.test(host)),
    [],
  );
});
