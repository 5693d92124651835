import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { falcoValues } from '../../bin/runtime/detector/values.ts';
import { scratchDirectory, startRunning } from '../app/running.ts';
import { ipo } from './fake-terminal.ts';

interface Falco {
  readonly falco: {
    readonly rules_files: readonly string[];
    readonly append_output: readonly { readonly extra_fields: readonly string[] }[];
    readonly http_output?: Readonly<Record<string, unknown>>;
  };
  readonly falcosidekick?: { readonly config: { readonly webhook: Readonly<Record<string, unknown>> } };
}

test('the values of both connections keep the default rules, name digest and pod, and use the bundle', () => {
  const address = 'https://ipo-detector.ipo-system.svc:8444';
  const read = (connection: 'mtls' | 'sidekick'): Falco =>
    falcoValues({ connection, address, secret: 'ipo-detector' });
  for (const connection of ['mtls', 'sidekick'] as const) {
    const { falco } = read(connection);
    assert.ok(falco.rules_files.includes('/etc/falco/falco_rules.yaml'));
    assert.deepEqual(falco.append_output[0]?.extra_fields, [
      ...['container.image.digest', 'k8s.pod.uid', 'container.full_id'],
    ]);
  }
  assert.deepEqual(read('mtls').falco.http_output, {
    ...{ enabled: true, url: `${address}/falco`, keep_alive: true, ca_cert: '/etc/ipo-detector/ca.crt' },
    ...{
      mtls: true,
      client_cert: '/etc/ipo-detector/client.crt',
      client_key: '/etc/ipo-detector/client.key',
    },
  });
  assert.deepEqual(read('sidekick').falcosidekick?.config.webhook, {
    ...{ address: `${address}/falcosidekick`, mutualtls: true },
  });
});

test('the bundle is written for its owner and over nothing, and the setup says that the listener is off', async (t) => {
  const service = await startRunning(t, {
    env: { IPO_INTEGRATIONS_DETECTOR_ENABLED: 'true', IPO_INTEGRATIONS_PORT: '0' },
  });
  const env = (who: 'administrator' | 'viewer'): Record<string, string> => ({
    IPO_SERVER: service.url,
    IPO_TOKEN: service.secretOf(who) ?? '',
  });
  const out = join(scratchDirectory(t), 'detector');
  const denied = await ipo(['runtime', 'detector', 'bundle', '--out', out], { env: env('viewer') });
  assert.equal(denied.code, 3);
  const first = await ipo(['runtime', 'detector', 'bundle', '--out', out], { env: env('administrator') });
  assert.equal(first.code, 0, first.err);
  assert.match(readFileSync(join(out, 'client.key'), 'utf8'), /BEGIN PRIVATE KEY/);
  assert.equal(statSync(join(out, 'client.key')).mode & 0o077, 0);
  const again = await ipo(['runtime', 'detector', 'bundle', '--out', out], { env: env('administrator') });
  assert.equal(again.code, 2);
  assert.match(again.err, /ca\.crt already exists/);
  const setup = await ipo(
    ['runtime', 'detector', 'setup', '--no-wait', '--url', 'https://falco.example.com:8444'],
    { env: env('viewer') },
  );
  assert.equal(setup.code, 0, setup.err);
  assert.match(setup.out, /url: https:\/\/falco\.example\.com:8444\/falco/);
  for (const url of ['http://x:8444', 'https://x:8444/path', 'nothing'])
    assert.equal((await ipo(['runtime', 'detector', 'setup', '--url', url], { env: env('viewer') })).code, 2);
  const off = await startRunning(t);
  const refused = await ipo(['runtime', 'detector', 'setup'], {
    env: { IPO_SERVER: off.url, IPO_TOKEN: off.secretOf('viewer') ?? '' },
  });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /the listener of the runtime detector is off/);
});
