import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPullingPod } from '../../src/adapters/kubernetes/pull-secrets.ts';
import { podKeychains } from '../../src/app/cluster/pod-keychains.ts';
import type { PullingPod } from '../../src/image/index.ts';
import type { RunningPod } from '../../src/reconcile/index.ts';
import { keysOf, passwordOf } from './open.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const podOf = (namespace: string, name: string, image: string, pulled: string | null): RunningPod =>
  ({
    namespace,
    name,
    containers: [{ name: 'main', role: 'main', image, digest: pulled }],
  }) as unknown as RunningPod;

test('an image is asked for with the credentials of the pods that run it', async () => {
  const pods = [
    podOf('shop', 'a', 'x.example/a:1', digest),
    podOf('shop', 'b', 'x.example/a:1', digest),
    podOf('other', 'c', `x.example/a@${digest}`, null),
    podOf('none', 'd', 'x.example/a:1', null),
    podOf('gone', 'e', 'x.example/a:1', digest),
  ];
  const asked: string[] = [];
  const keychains = podKeychains({
    running: { list: async () => ({ complete: true, pods }) },
    podOf: async (namespace, name) => {
      asked.push(`${namespace}/${name}`);
      return namespace === 'gone' ? null : { namespace, pullSecrets: [], serviceAccount: null };
    },
    keychainOf: async ({ namespace }: PullingPod) => keysOf('x.example', passwordOf(namespace, 'p')),
    log,
  });
  const found = await (await keychains(digest))?.credentialsFor({ host: 'x.example', path: 'a' });
  assert.deepEqual(
    found?.map((one) => 'username' in one && one.username),
    ['shop', 'other'],
  );
  assert.deepEqual(asked, ['shop/a', 'other/c', 'gone/e']);
  assert.equal(await keychains(`sha256:${'b'.repeat(64)}`), null);
  const broken = podKeychains({
    running: { list: () => Promise.reject(new Error('away')) },
    ...{ podOf: async () => null, keychainOf: async () => keysOf('x'), log },
  });
  assert.equal(await broken(digest), null);
});

test('what a pod names, as the API server has it', async () => {
  const pods: Record<string, object> = {
    '/api/v1/namespaces/shop/pods/a': {
      spec: { imagePullSecrets: [{ name: 's' }, {}], serviceAccountName: 'web' },
    },
    '/api/v1/namespaces/shop/pods/b': {},
  };
  const api = { find: async <T>({ path }: { path: string }) => (pods[path] ?? null) as T | null };
  assert.deepEqual(await readPullingPod(api, 'shop', 'a'), {
    namespace: 'shop',
    pullSecrets: ['s'],
    serviceAccount: 'web',
  });
  assert.deepEqual(await readPullingPod(api, 'shop', 'b'), {
    namespace: 'shop',
    pullSecrets: [],
    serviceAccount: 'default',
  });
  assert.equal(await readPullingPod(api, 'shop', 'c'), null);
});
