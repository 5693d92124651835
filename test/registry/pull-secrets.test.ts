import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import { clusterPullSecrets } from '../../src/adapters/kubernetes/pull-secrets.ts';
import { pullSecretKeychain } from '../../src/adapters/registry/index.ts';
import { ClusterError } from '../../src/cluster/index.ts';
import type { Credential } from '../../src/image/index.ts';
import { faultOf } from './open.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const auths = (host: string, user: string): string =>
  JSON.stringify({ auths: { [host]: { auth: base64(`${user}:pw`) } } });

function clusterOf(objects: Readonly<Record<string, object | 'forbidden'>>): {
  api: Pick<KubernetesApi, 'find'>;
  paths: string[];
} {
  const paths: string[] = [];
  return {
    paths,
    api: {
      find: async <T>({ path }: { path: string }): Promise<T | null> => {
        paths.push(path);
        const found = Object.hasOwn(objects, path) ? objects[path] : null;
        if (found === 'forbidden') throw new ClusterError('forbidden', 'no');
        return (found ?? null) as T | null;
      },
    },
  };
}

const at = (name: string): string => `/api/v1/namespaces/shop/secrets/${name}`;
const OBJECTS = {
  [at('new')]: {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64(auths('a.example', 'new')) },
  },
  [at('old')]: {
    type: 'kubernetes.io/dockercfg',
    data: { '.dockercfg': base64(JSON.stringify({ 'b.example': { auth: base64('old:pw') } })) },
  },
  [at('opaque')]: { type: 'Opaque', data: { '.dockerconfigjson': base64('{}') } },
  [at('broken')]: {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64('canary{') },
  },
  [at('hidden')]: 'forbidden',
  '/api/v1/namespaces/shop/serviceaccounts/web': {
    imagePullSecrets: [{ name: 'new' }, {}, { name: 'gone' }],
  },
} as const;

const usersOf = (credentials: readonly Credential[]): string[] =>
  credentials.map((one) => (one.kind === 'password' ? one.username : one.kind));

suite('pull secrets of pods', () => {
  const open = (now = () => 0) => {
    const { api, paths } = clusterOf(OBJECTS);
    return { secrets: clusterPullSecrets({ api, monotonic: now }), paths };
  };
  const pod = (...pullSecrets: string[]) => ({ namespace: 'shop', pullSecrets, serviceAccount: null });

  test('both kinds of Secret, in order; others are passed over and said', async () => {
    const { secrets } = open();
    const found = await secrets.of(pod('old', 'opaque', 'new', 'gone', 'hidden', '../x'));
    assert.deepEqual(
      found.secrets.map(({ name }) => name),
      ['shop/old', 'shop/new'],
    );
    assert.deepEqual(found.faults, [
      'the Secret shop/opaque holds no credentials for registries',
      'the Secret shop/gone is not there',
      'the Secret shop/hidden may not be read by the operator',
      '../x is not the name of a Secret',
    ]);
    const keychain = pullSecretKeychain(found);
    assert.deepEqual(usersOf(await keychain.credentialsFor({ host: 'a.example', path: 'x' })), ['new']);
    assert.deepEqual(usersOf(await keychain.credentialsFor({ host: 'b.example', path: 'x' })), ['old']);
    const fault = await faultOf(keychain.credentialsFor({ host: 'c.example', path: 'x' }));
    assert.deepEqual([fault.fault, /shop\/opaque/.test(fault.message)], ['credentials', true]);
  });

  test('the ServiceAccount is asked where the pod names none', async () => {
    const { secrets, paths } = open();
    const found = await secrets.of({ namespace: 'shop', pullSecrets: [], serviceAccount: 'web' });
    assert.deepEqual(
      found.secrets.map(({ name }) => name),
      ['shop/new'],
    );
    assert.deepEqual(found.faults, ['the Secret shop/gone is not there']);
    await secrets.of({ namespace: 'shop', pullSecrets: ['new'], serviceAccount: 'web' });
    assert.deepEqual(paths.filter((path) => path.includes('serviceaccounts')).length, 1);
    const none = await secrets.of({ namespace: 'shop', pullSecrets: [], serviceAccount: 'none' });
    assert.deepEqual(none.faults, ['the ServiceAccount shop/none is not there']);
  });

  test('a Secret is read once a minute, however many pods name it', async () => {
    let now = 0;
    const { secrets, paths } = open(() => now);
    await Promise.all(Array.from({ length: 50 }, () => secrets.of(pod('new'))));
    now = 59_999;
    await secrets.of(pod('new'));
    assert.equal(paths.length, 1);
    now = 60_000;
    await secrets.of(pod('new'));
    assert.equal(paths.length, 2);
  });

  test('a Secret that cannot be read as a config is said, without what it holds', async () => {
    const { secrets } = open();
    const keychain = pullSecretKeychain(await secrets.of(pod('broken')));
    const fault = await faultOf(keychain.credentialsFor({ host: 'a.example', path: 'x' }));
    assert.match(fault.message, /the Secret shop\/broken is not JSON/);
    assert.doesNotMatch(`${fault.message}${String(fault.cause)}`, /canary/);
    assert.doesNotMatch(JSON.stringify(await secrets.of(pod('new'))), /bmV3OnB3|new:pw/);
  });
});
