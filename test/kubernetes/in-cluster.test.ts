import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  Informer,
  KubernetesApi,
  openInCluster,
  openKubeconfig,
  type KubeObject,
} from '../../src/adapters/kubernetes/index.ts';
import { isFault } from '../../src/cluster/index.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { FakeApiServer } from './fake/api-server.ts';
import { eventually, realTime, silent } from './servers.ts';

const CALLER = { username: 'system:serviceaccount:ipo-system:ipo', groups: [] };

async function pod(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-account-'));
  const { cert, key } = makeCertificate(folder, 'server');
  const fake = new FakeApiServer({
    tls: { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') },
    tokens: new Map([['first', CALLER]]),
  });
  const server = await fake.listen();
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  write('token', 'first');
  write('ca.crt', readFileSync(cert, 'utf8'));
  write('namespace', 'ipo-system');
  const time = { ahead: 0 };
  const connection = await openInCluster({
    account: folder,
    server,
    monotonic: () => performance.now() + time.ahead,
  });
  const api = new KubernetesApi(connection, 'test');
  t.after(async () => {
    await api.close();
    await fake.close();
    rmSync(folder, { recursive: true });
  });
  const list = () => api.call({ method: 'GET', path: '/api/v1/namespaces', what: 'the list' });
  return { folder, fake, api, time, write, list, server };
}

test(
  'a token that the kubelet renews is read again within a minute, and at once when it is no longer known',
  { skip: withoutOpenssl },
  async (t) => {
    const { fake, api, time, write, list } = await pod(t);
    assert.equal(api.namespace, 'ipo-system');
    await list();
    write('token', 'second');
    await list();
    assert.equal(fake.seen.at(-1)?.authorization, 'Bearer first');
    time.ahead = 60_001;
    fake.setTokens(
      new Map([
        ['first', CALLER],
        ['second', CALLER],
      ]),
    );
    await list();
    assert.equal(fake.seen.at(-1)?.authorization, 'Bearer second');
    write('token', 'third');
    fake.setTokens(new Map([['third', CALLER]]));
    await assert.rejects(list(), (error) => isFault(error, 'unauthorized'));
    await list();
    assert.equal(fake.seen.at(-1)?.authorization, 'Bearer third');
    // While the files are being replaced the old ones hold.
    write('token', '');
    time.ahead = 200_000;
    await list();
    assert.equal(fake.seen.at(-1)?.authorization, 'Bearer third');
  },
);

test(
  'a watch outlives a renewed token, and comes back with the new one',
  { skip: withoutOpenssl },
  async (t) => {
    const { fake, api, write } = await pod(t);
    const held = new Informer<KubeObject>({
      api,
      resource: { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
      project: (object) => object,
      clock: realTime,
      log: silent,
      random: () => 0,
    });
    t.after(() => held.stop());
    held.start();
    await held.untilSynced(10_000);
    write('token', 'second');
    fake.setTokens(new Map([['second', CALLER]]));
    fake.endWatches();
    fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await eventually(() => held.objects.has('shop'));
    assert.equal(held.fault, null);
  },
);

test(
  'an authority that is not the cluster is refused, and one that is renewed is taken',
  { skip: withoutOpenssl },
  async (t) => {
    const { folder, api, time, write, list } = await pod(t);
    const right = readFileSync(join(folder, 'ca.crt'), 'utf8');
    write('ca.crt', readFileSync(makeCertificate(folder, 'other').cert, 'utf8'));
    time.ahead = 60_001;
    await assert.rejects(list(), (error) => isFault(error, 'network'));
    write('ca.crt', right);
    time.ahead = 120_002;
    await list();
    await api.close();
  },
);

test('without a service account, or outside of a pod, it is said what is missing', async () => {
  await assert.rejects(
    openInCluster({ account: '/nowhere', server: 'https://127.0.0.1:1' }),
    /\/nowhere\/namespace cannot be read/,
  );
  await assert.rejects(
    openInCluster({ account: '/nowhere', server: 'http://127.0.0.1:1' }),
    /only over https/,
  );
});

test('a kubeconfig is read with its token and its authority', { skip: withoutOpenssl }, async (t) => {
  const { folder, fake, server } = await pod(t);
  const path = join(folder, 'kubeconfig');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': join(folder, 'ca.crt') } }],
    users: [{ name: 'u', user: { token: 'first' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'here' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  const api = new KubernetesApi(await openKubeconfig(path), 'test');
  await api.call({ method: 'GET', path: '/api/v1/namespaces', what: 'the list' });
  assert.equal(fake.seen.at(-1)?.authorization, 'Bearer first');
  assert.equal(api.namespace, 'here');
  await api.close();
  await assert.rejects(openKubeconfig(join(folder, 'none')), {
    code: 'unreadable',
    message: `${join(folder, 'none')}: no such file or directory`,
    hint: 'Give an existing file with --kubeconfig FILE, or in KUBECONFIG',
  });
  writeFileSync(join(folder, 'bad'), 'clusters: [');
  await assert.rejects(openKubeconfig(join(folder, 'bad')), /bad cannot be read as a kubeconfig$/);
  const plain = join(folder, 'plain');
  writeFileSync(plain, readFileSync(path, 'utf8').replaceAll('https://', 'http://'));
  await assert.rejects(
    openKubeconfig(plain),
    /plain: the address of the API server must begin with https:\/\/$/,
  );
  writeFileSync(path, JSON.stringify({ ...config, 'current-context': 'gone' }));
  await assert.rejects(openKubeconfig(path), /no current context/);
});

test('no door but a kubeconfig loads the client library', () => {
  const sources = ['api', 'in-cluster', 'informer', 'watch', 'lease-store', 'reads', 'index'].map((name) =>
    readFileSync(
      join(import.meta.dirname, '..', '..', 'src', 'adapters', 'kubernetes', `${name}.ts`),
      'utf8',
    ),
  );
  for (const text of sources) assert.doesNotMatch(text, /^import (?!type)[^;]*@kubernetes\/client-node/m);
});
