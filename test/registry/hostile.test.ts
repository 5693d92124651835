import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { LookupFunction } from 'node:net';
import { suite, test } from 'node:test';
import { startFakeRegistry } from './fake-registry.ts';
import { answer, GOOD } from './hostile-parts.ts';
import { OCI } from './images.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';

suite('registries that do not answer as registries do', () => {
  test('which faults mean "not there", and which do not', async (t) => {
    const errors = (code: string): string => JSON.stringify({ errors: [{ code, message: 'm' }] });
    for (const [status, headers, body, wanted] of [
      [404, {}, errors('MANIFEST_UNKNOWN'), 'absent'],
      [404, {}, errors('NAME_UNKNOWN'), 'absent'],
      [404, {}, errors('NOT_FOUND'), 'absent'],
      [404, {}, '', 'unreadable'],
      [404, {}, '{}', 'unreadable'],
      [404, {}, '{"errors":[]}', 'unreadable'],
      [404, {}, '{"errors":[null]}', 'unreadable'],
      [404, {}, '{"message":"not found"}', 'unreadable'],
      [404, {}, errors('UNSUPPORTED'), 'unreadable'],
      [404, { 'docker-distribution-api-version': 'registry/2.0' }, 'gone', 'unreadable'],
      [404, {}, '<html>404</html>', 'unreadable'],
      [404, {}, '404 page not found\n', 'unreadable'],
      [404, {}, errors('DENIED'), 'denied'],
      [403, {}, errors('DENIED'), 'denied'],
      [401, {}, '', 'denied'],
      [400, {}, errors('NAME_INVALID'), 'unreadable'],
      [418, {}, '', 'unreadable'],
      [429, { 'retry-after': '7' }, '', 'rate_limited'],
      [500, {}, errors('UNKNOWN'), 'unavailable'],
      [503, {}, '<html>', 'unavailable'],
      [204, {}, '', 'unreadable'],
      [303, { location: '/x' }, '', 'unreadable'],
      [307, {}, '', 'unreadable'],
    ] as const) {
      const fake = await startFakeRegistry(t);
      answer(
        fake,
        (response, { method }) => void response.writeHead(status, headers).end(method === 'HEAD' ? '' : body),
      );
      const error = await faultOf(openClient(t).digestOf(referenceTo(fake.host, 'a/b:1'), ask));
      assert.equal(error.fault, wanted, `${status} ${body}`);
      if (status === 429) assert.equal(error.retryAfter, 7);
      const attached = openClient(t).attached(
        referenceTo(fake.host, 'a/b'),
        GOOD.manifest.digest,
        'sig',
        ask,
      );
      if (wanted === 'absent') assert.equal(await attached, null);
      else assert.equal((await faultOf(attached)).fault, wanted, 'what could not be asked is not "none"');
    }
  });

  test('one that hangs, at its head or its body, or waits for ever', async (t) => {
    const fake = await startFakeRegistry(t);
    for (const act of [
      () => undefined,
      (response: ServerResponse) => void response.writeHead(200, { 'content-type': OCI.manifest }).write('{'),
    ]) {
      answer(fake, act);
      const registry = openClient(t, { callMs: 100 });
      const error = await faultOf(
        registry.manifest(referenceTo(fake.host, 'a/b'), `t${String(act.length)}`, ask),
      );
      assert.deepEqual(
        [error.fault, /within 0.1 seconds/.test(error.message), error.mayPass],
        ['unavailable', true, true],
      );
    }
  });

  test('one that leads round in circles, to a file, down to plain HTTP, or to a metadata service', async (t) => {
    for (const [location, wanted] of [
      ['/v2/a/b/manifests/again', 'unreadable'],
      ['file:///etc/passwd', 'unreadable'],
      ['http://user:pw@127.0.0.1/', 'unreadable'],
      ['https://169.254.169.254/latest/meta-data', 'refused'],
      ['https://[::ffff:169.254.169.254]/latest', 'refused'],
      ['http://198.51.100.7/', 'refused'],
    ] as const) {
      const fake = await startFakeRegistry(t);
      answer(fake, (response) => void response.writeHead(307, { location }).end());
      const error = await faultOf(openClient(t).manifest(referenceTo(fake.host, 'a/b'), 'x', ask));
      assert.equal(error.fault, wanted, `${location}: ${error.message}`);
    }
  });

  test('hosts that are this machine, a metadata service or no address are not called', async (t) => {
    const fake = await startFakeRegistry(t);
    const port = fake.host.split(':')[1];
    const strict = openClient(t, { loopback: false });
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      '169.254.169.254',
      `0.0.0.0:${port}`,
      '127.1:99999',
    ])
      assert.equal((await faultOf(strict.digestOf(referenceTo(host, 'a/b:1'), ask))).fault, 'refused', host);
    assert.equal(fake.asked.length, 0);
    const denied = openClient(t, { denied: ['198.51.100.1'] });
    assert.equal(
      (await faultOf(denied.digestOf(referenceTo('198.51.100.1', 'a/b:1'), ask))).fault,
      'refused',
    );
    const lookup: LookupFunction = (_, __, found) => found(null, '127.0.0.1', 4);
    const rebound = openClient(t, { loopback: false, lookup });
    assert.equal(
      (await faultOf(rebound.digestOf(referenceTo(`a.example:${port}`, 'a/b:1'), ask))).fault,
      'refused',
    );
    const named = openClient(t, { loopback: false, hosts: [{ host: fake.host, plainHttp: true }] });
    assert.equal((await faultOf(named.digestOf(referenceTo(fake.host, 'a/b:1'), ask))).fault, 'absent');
    const other = openClient(t, { loopback: false, hosts: [{ host: fake.host }] });
    assert.equal(
      (await faultOf(other.digestOf(referenceTo(fake.host, 'a/b:1'), ask))).fault,
      'refused',
      'no plain HTTP unsaid',
    );
  });
});
