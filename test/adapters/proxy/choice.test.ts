import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  openProxyChoice,
  proxyEnvironment,
  readException,
  readProxy,
} from '../../../src/adapters/proxy/index.ts';
import { proxyAt } from './connect-proxy.ts';

test('addresses of proxies', async (t) => {
  await t.test('a user name and password become a header, and stand nowhere else', () => {
    const proxy = proxyAt('http://ipo:p%40ss%2Fword@proxy.example.com:3128');
    assert.equal(proxy.origin, 'http://proxy.example.com:3128');
    assert.equal(proxy.name, 'proxy.example.com:3128');
    assert.equal(proxy.authorization?.reveal(), `Basic ${btoa('ipo:p@ss/word')}`);
    assert.doesNotMatch(JSON.stringify(proxy), /p@ss|cEBzcy/);
  });
  await t.test('the port that a scheme implies is named in messages', () => {
    assert.equal(proxyAt('http://proxy.example.com').name, 'proxy.example.com:80');
    assert.equal(proxyAt('https://[2001:db8::1]').name, '[2001:db8::1]:443');
    assert.equal(proxyAt('http://proxy.example.com').authorization, null);
  });
  for (const text of [
    ...['', 'proxy.example.com:3128', 'socks5://proxy:1080', 'http://', 'ftp://proxy', 'http:///proxy'],
    ...['http://ipo:canary#x@proxy:3128', 'http://ipo:canary/x@proxy:3128', 'http://ipo:canary%zz@proxy'],
    ...['http://proxy:3128/path', 'http://proxy:3128?x', 'http://proxy:99999'],
  ])
    await t.test(`${JSON.stringify(text)} is refused without repeating it`, () => {
      const read = readProxy(text);
      assert.ok('fault' in read);
      assert.doesNotMatch(read.fault, /canary/);
    });
});

test('entries of noProxy', async (t) => {
  const cases: readonly (readonly [entry: string, covered: readonly string[], others: readonly string[]])[] =
    [
      [
        'example.com',
        ['example.com:443', 'a.b.example.com:80'],
        ['badexample.com:443', 'example.com.evil.org:443'],
      ],
      ['.example.com', ['a.example.com:443'], ['example.com:443', 'badexample.com:443']],
      ['*.example.com', ['a.example.com:443'], ['example.com:443']],
      ['Example.COM', ['example.com:443'], []],
      ['example.com.', ['example.com:443'], []],
      ['example.com:8443', ['example.com:8443', 'a.example.com:8443'], ['example.com:443']],
      ['10.0.0.0/8', ['10.1.2.3:443'], ['11.0.0.1:443', '10.example.com:443']],
      ['192.0.2.7', ['192.0.2.7:443'], ['192.0.2.70:443']],
      ['192.0.2.7:8080', ['192.0.2.7:8080'], ['192.0.2.7:443']],
      ['2001:db8::/32', ['[2001:db8::7]:443'], ['[2001:db9::7]:443']],
      ['[2001:db8::7]:8443', ['[2001:db8::7]:8443'], ['[2001:db8::7]:443']],
      ['*', ['example.com:443', '10.0.0.1:80', '[2001:db8::1]:443'], []],
    ];
  for (const [entry, covered, others] of cases)
    await t.test(entry, () => {
      const proxy = proxyAt('http://proxy.example.org:3128');
      const choice = openProxyChoice({ proxy, noProxy: [entry], apiServer: '' });
      for (const target of covered) assert.equal(choice(...split(target)), null, target);
      for (const target of others) assert.equal(choice(...split(target)), proxy, target);
    });
  for (const entry of [
    '',
    ' ',
    'http://example.com',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    'example.com:0',
    'a b',
    'x:y:z',
    '[example.com]',
    '.',
    'example..com',
    '-x.com',
    '1.2.3.4/',
    '*example.com',
  ])
    await t.test(`${JSON.stringify(entry)} cannot be read`, () => assert.equal(readException(entry), null));
});

test('what is called directly whatever the settings say', async (t) => {
  const proxy = proxyAt('http://proxy.example.org:3128');
  const choice = openProxyChoice({ proxy, noProxy: [], apiServer: 'api.cluster.example.com' });
  for (const target of [
    ...['localhost:443', 'app.localhost:80', '127.0.0.1:80', '127.9.9.9:80', '[::1]:443', 'trivy:4954'],
    ...['trivy.scanners.svc:4954', 'trivy.scanners.svc.cluster.local:4954', 'x.pod.cluster.local:1'],
    ...['kubernetes.default:443', 'kubernetes.default.svc.corp.internal:443', 'KUBERNETES.default.svc.:443'],
    ...['api.cluster.example.com:443', 'API.cluster.example.com.:443', 'metadata.google.internal:80'],
  ])
    await t.test(target, () => assert.equal(choice(...split(target)), null));
  for (const target of ['example.com:443', 'svc.example.com:443', 'cluster.localx:443', '10.0.0.1:443'])
    await t.test(`not ${target}`, () => assert.equal(choice(...split(target)), proxy));
  await t.test('an API server that is named by its address', () => {
    const other = openProxyChoice({ proxy, noProxy: [], apiServer: '10.96.0.1' });
    assert.equal(other('10.96.0.1', 443), null);
    assert.equal(other('10.96.0.2', 443), proxy);
  });
});

test('a program of others gets the same by its environment, whatever case it reads', () => {
  const address = 'http://ipo:secret@proxy:3128';
  const env = proxyEnvironment({ address, noProxy: ['.example.com'], apiServer: '10.96.0.1' });
  assert.equal(env['HTTPS_PROXY'], address);
  assert.equal(env['http_proxy'], address);
  assert.equal(env['no_proxy'], env['NO_PROXY']);
  assert.equal(env['NO_PROXY'], 'localhost,127.0.0.0/8,::1,.svc,.cluster.local,10.96.0.1,.example.com');
});

function split(target: string): [host: string, port: number] {
  const [, host = '', port] = /^(.*):(\d+)$/.exec(target) ?? [];
  return [host, Number(port)];
}
