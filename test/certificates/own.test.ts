import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import {
  bundleOf,
  CERTIFICATE_TIMES,
  readSecretData,
  toSecretData,
  type CertificateMaker,
} from '../../src/certificates/index.ts';
import { CALLED, FakeCluster, NAMES, shakeOnce } from './cluster.ts';

const { announce, authority, overlap, serving, settle } = CERTIFICATE_TIMES;
const authorities = (pem: string): number => pem.split('BEGIN CERTIFICATE').length - 1;

/** Certificates as they would have been made at another time; what shakes hands holds them against the real one. */
async function settled(): Promise<FakeCluster> {
  const cluster = new FakeCluster();
  await cluster.own(certificateMaker).run();
  return cluster;
}

async function holds(cluster: FakeCluster): Promise<void> {
  const pair = cluster.pair();
  assert.ok(pair !== null);
  assert.equal(await shakeOnce(pair, cluster.trusted()), null);
}

test('an authority and a serving certificate are what RFC 5280 says, with identifiers of both keys', async () => {
  const at = Date.now();
  const ca = await certificateMaker.makeAuthority({ from: at, to: at + authority });
  const pair = await certificateMaker.makeServing(ca, NAMES, { from: at, to: at + serving });
  const [root, leaf] = [new X509Certificate(ca.cert), new X509Certificate(pair.cert)];
  assert.ok(root.ca && !leaf.ca);
  assert.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey) && root.verify(root.publicKey));
  assert.equal(leaf.checkHost(CALLED), CALLED);
  assert.equal(leaf.checkHost('ipo-webhook.elsewhere.svc'), undefined);
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  assert.match(leaf.serialNumber, /^[4-7][0-9A-F]{31}$/);
  assert.ok(leaf.validFromDate.getTime() < at && leaf.validToDate.getTime() <= at + serving);
  const { asn1, key } = identifiers(pair.cert);
  assert.equal(asn1, identifiers(ca.cert).key);
  assert.notEqual(key, identifiers(ca.cert).key);
});

test('the first run makes everything and tells the API server, so that it can call at once', async () => {
  const cluster = await settled();
  await holds(cluster);
  assert.deepEqual(cluster.bundles.live, [cluster.trusted(), cluster.trusted()]);
  assert.equal(cluster.secret.stored?.data['ca.crt'], cluster.trusted());
  const before = [cluster.secret.writes, cluster.bundles.writes];
  await cluster.own(certificateMaker).run();
  assert.deepEqual([cluster.secret.writes, cluster.bundles.writes], before);
});

test('a Secret with only the path of the webhook is that of a first start, and one with other certificates is told', async () => {
  const first = new FakeCluster();
  first.secret.put({ path: '/admission/pods/x', paths: '{}' });
  await first.own(certificateMaker).run();
  await holds(first);
  assert.deepEqual([first.errors, first.secret.stored?.data['paths']], [[], '{}']);
  const other = new FakeCluster();
  other.secret.put({ 'tls.crt': 'of a person', 'tls.key': 'the same' });
  await other.own(certificateMaker).run();
  await holds(other);
  assert.equal(other.errors.length, 1);
});

test('what is kept reads back as it was written, and anything else is nothing', async () => {
  const { secret } = await settled();
  const data = secret.stored?.data ?? {};
  const kept = readSecretData(data);
  assert.ok(kept !== null);
  assert.deepEqual(toSecretData(kept), data);
  const other = (await settled()).secret.stored?.data ?? {};
  for (const [key, value] of Object.entries(data)) {
    if (value === '' || key === 'ca.crt') continue;
    for (const spoilt of ['', 'garbage', value.slice(0, 80), other[key] ?? '']) {
      if (spoilt === value) continue;
      const read = readSecretData({ ...data, [key]: spoilt });
      // Without a serving certificate it is whole: one is made.
      if (key === 'tls.crt' && spoilt === '') assert.equal(read?.serving, null);
      else assert.equal(read, null, `${key}: ${spoilt.slice(0, 20)}`);
    }
  }
});

test('a serving certificate is renewed when a third of it is left, by the same authority', async () => {
  const cluster = await settled();
  const first = cluster.pair();
  const trusted = cluster.trusted();
  cluster.at += serving / 2;
  await cluster.own(certificateMaker).run();
  assert.deepEqual(cluster.pair(), first);
  cluster.at += serving / 6 + 60_000;
  await cluster.own(certificateMaker).run();
  assert.notDeepEqual(cluster.pair(), first);
  assert.equal(cluster.trusted(), trusted);
});

test('an authority is followed in time: trusted first, then signing, then the only one', async () => {
  const cluster = await settled();
  const own = cluster.own(certificateMaker);
  const shown = async () => {
    await own.run();
    return { trusted: authorities(cluster.trusted()), pair: cluster.pair() };
  };
  cluster.at += (authority * 2) / 3 + 60_000;
  const introduced = await shown();
  assert.equal(introduced.trusted, 2);
  cluster.at += announce - 1;
  assert.deepEqual(await shown(), introduced);
  cluster.at += 1;
  const switched = await shown();
  assert.equal(switched.trusted, 2);
  assert.notDeepEqual(switched.pair, introduced.pair);
  cluster.at += overlap - 1;
  assert.deepEqual(await shown(), switched);
  cluster.at += 1;
  assert.equal((await shown()).trusted, 1);
});

test('a Secret that is deleted, or replaced by garbage, is recreated while the old certificate is still trusted', async () => {
  for (const damage of [null, { 'tls.crt': 'garbage' }, {}]) {
    const cluster = await settled();
    const shown = cluster.pair();
    assert.ok(shown !== null);
    if (damage === null) cluster.secret.stored = null;
    else cluster.secret.put(damage);
    const own = cluster.own(certificateMaker);
    for (let passed = 0; cluster.pair()?.cert === undefined || passed < settle; passed += 5_000) {
      assert.ok(passed <= 30_000, 'recovered within 30 s');
      await own.run();
      assert.equal(await shakeOnce(shown, cluster.trusted()), null, 'replicas still show the old one');
      cluster.at += 5_000;
    }
    await own.run();
    assert.notDeepEqual(cluster.pair(), shown);
    await holds(cluster);
    cluster.at += overlap + 60_000;
    await own.run();
    assert.equal(authorities(cluster.trusted()), 1);
  }
});

test('certificates that have ended are replaced at once', async () => {
  const cluster = new FakeCluster();
  cluster.at -= 2 * authority;
  await cluster.own(certificateMaker).run();
  assert.match((await shakeOnce(cluster.pair() ?? assert.fail(), cluster.trusted())) ?? '', /expired/);
  cluster.at = Date.now();
  const own = cluster.own(certificateMaker);
  for (let passed = 0; passed <= 20_000; passed += 5_000) {
    await own.run();
    cluster.at += 5_000;
  }
  await holds(cluster);
});

test('a caBundle that somebody emptied or changed is put back', async () => {
  const cluster = await settled();
  const trusted = cluster.trusted();
  cluster.bundles.live = ['', 'garbage'];
  await cluster.own(certificateMaker).run();
  assert.deepEqual(cluster.bundles.live, [trusted, trusted]);
});

test('without a webhook configuration nothing is signed by an authority that nobody trusts', async () => {
  const cluster = new FakeCluster();
  cluster.bundles.live = null;
  await cluster.own(certificateMaker).run();
  assert.equal(cluster.pair(), null);
  cluster.bundles.live = [''];
  await cluster.own(certificateMaker).run();
  await holds(cluster);
});

test('two replicas that both take themselves for the leader end with one state', async () => {
  const cluster = new FakeCluster();
  const both = [cluster.own(certificateMaker), cluster.own(certificateMaker)];
  for (let round = 0; round < 4; round += 1) {
    await Promise.all(both.map((own) => own.run()));
    const kept = readSecretData(cluster.secret.stored?.data ?? {});
    assert.ok(kept?.signing && kept.serving, 'the serving certificate is by who signs');
    assert.equal(cluster.trusted(), bundleOf(kept));
    if (round === 0) await holds(cluster);
    for (const passed of [(authority * 2) / 3 + 60_000, announce, overlap]) {
      cluster.at += passed;
      await Promise.all(both.map((own) => own.run()));
    }
  }
});

test('who stops leading in the middle writes nothing more', async () => {
  for (let writes = 0; writes < 4; writes += 1) {
    const cluster = new FakeCluster();
    let left = writes;
    const stopping: CertificateMaker = {
      ...certificateMaker,
      async makeAuthority(life) {
        cluster.leads = left-- > 0;
        return certificateMaker.makeAuthority(life);
      },
      async makeServing(...args) {
        cluster.leads = left-- > 0;
        return certificateMaker.makeServing(...args);
      },
    };
    await cluster.own(stopping).run();
    if (writes === 0) assert.deepEqual([cluster.secret.writes, cluster.bundles.writes], [0, 0]);
    if (writes === 1) assert.equal(cluster.pair(), null);
    cluster.leads = true;
    await cluster.own(certificateMaker).run();
    await holds(cluster);
  }
});

test('a clock that is set back in the middle of a rotation leaves nothing in use that begins in the future', async () => {
  const cluster = await settled();
  const own = cluster.own(certificateMaker);
  const began = (key: string): boolean =>
    new X509Certificate(cluster.secret.stored?.data[key] ?? '').validFromDate.getTime() <= cluster.at;
  cluster.at += (authority * 2) / 3 + 60_000;
  await own.run();
  const introduced = cluster.trusted();
  cluster.at -= 30 * 86_400_000;
  assert.ok(!began('ca.next.crt') && !began('tls.crt'));
  await own.run();
  assert.notEqual(cluster.trusted(), introduced);
  assert.ok(began('ca.next.crt') && began('tls.crt') && began('ca.signing.crt'));
  const before = cluster.pair();
  cluster.at += announce;
  await own.run();
  assert.notDeepEqual(cluster.pair(), before, 'the rotation goes on');
  assert.ok(began('tls.crt') && began('ca.signing.crt'));
});

test('what was made by a clock a year ahead is recreated once the clock is right, as no API server takes it', async () => {
  const cluster = new FakeCluster();
  cluster.at += 365 * 86_400_000;
  await cluster.own(certificateMaker).run();
  assert.match((await shakeOnce(cluster.pair() ?? assert.fail(), cluster.trusted())) ?? '', /not yet valid/);
  cluster.at = Date.now();
  const own = cluster.own(certificateMaker);
  for (let passed = 0; passed <= 20_000; passed += 5_000) {
    await own.run();
    cluster.at += 5_000;
  }
  await holds(cluster);
  const before = cluster.secret.writes;
  await own.run();
  assert.equal(cluster.secret.writes, before);
});

/** The identifier of the own key (SKI) and that of the signer's (AKI), as the DER of a certificate has them. */
function identifiers(pem: string): { readonly key: string; readonly asn1: string } {
  const hex = new X509Certificate(pem).raw.toString('hex');
  const [, key = ''] = /0603551d0e04160414([0-9a-f]{40})/.exec(hex) ?? assert.fail('no SKI');
  const [, asn1 = ''] = /0603551d230418301680(?:14)([0-9a-f]{40})/.exec(hex) ?? assert.fail('no AKI');
  return { key, asn1 };
}
