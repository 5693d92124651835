import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { digestLookup, type OpenRegistry } from '../../src/adapters/registry/index.ts';
import type { Keys, Log } from '../../src/base/index.ts';
import { openReviewer, policyOf, reviewOf } from '../admission/reviews.ts';
import { fault, startFakeRegistry } from './fake-registry.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';
import { pushedWorld } from './pushed-world.ts';

/** A clock with its timers, on which nothing happens before it is set forward. */
function virtualTime() {
  let timers: { at: number; act: () => void }[] = [];
  const time = {
    now: 0,
    after: (ms: number, act: () => void) => {
      const timer = { at: time.now + ms, act };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
    /** Sets it to the next timer. */
    next() {
      const [first] = timers.toSorted((a, b) => a.at - b.at);
      if (first === undefined) return;
      timers = timers.filter((one) => one !== first);
      time.now = Math.max(time.now, first.at);
      first.act();
    },
  };
  return time;
}

function logOf() {
  const lines: { message: string; keys: Keys | undefined }[] = [];
  const keep = (message: string, keys?: Keys): void => void lines.push({ message, keys });
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  return { lines, log };
}

suite('a registry that does not answer', () => {
  test('costs one review its time, and not each: 46 reviews make one call and wait once', async (t) => {
    const fake = await startFakeRegistry(t);
    fake.answering = () => true; // it hangs
    const time = virtualTime();
    const { lines, log } = logOf();
    const registry = openClient(t, { monotonic: () => time.now, after: time.after, log, random: () => 0 });
    const lookup = digestLookup({ registry, clock: { now: () => time.now }, log });
    const { ask: review, rows } = openReviewer([policyOf('{ enforcement: Enforce }')], {
      lookup,
      timers: { after: time.after },
    });
    const waited: number[] = [];
    const warnings: string[] = [];
    for (let i = 0; i < 46; i += 1) {
      const began = time.now;
      const done = { is: false };
      const spec = {
        containers: [
          { name: 'web', image: `${fake.host}/shop/web:${i}` },
          { name: 'side', image: `${fake.host}/shop/side:${i}` },
        ],
      };
      const answer = review(reviewOf({ spec })).finally(() => (done.is = true));
      const calls = fake.asked.length;
      for (let turns = 0; !done.is; turns += 1) {
        await turn();
        // The calls have arrived, or nothing more is to be waited for but time.
        if (fake.asked.length - calls === 2 || turns > 200) time.next();
      }
      warnings.push(...((await answer).warnings ?? []));
      waited.push(time.now - began);
    }
    assert.equal(rows().length, 92);
    assert.equal(fake.asked.length, 2, 'one for each image of the first pod');
    assert.equal(
      waited.reduce((sum, ms) => sum + ms, 0),
      1500,
    );
    assert.ok(warnings[0]?.startsWith(`container web: digest unknown: ${fake.host}/shop/web:0, `));
    assert.equal(
      warnings[2],
      `container web: digest unknown: ${fake.host}/shop/web:1, ${fake.host} does not answer; it is asked again in 2 s; decided without it`,
    );
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['a registry does not answer; its images are decided without asking it meanwhile'],
    );
  });

  test('is asked again after a time that doubles, by only one question, and is back with its first answer', async (t) => {
    const { fake } = await pushedWorld(t);
    let now = 0;
    const { lines, log } = logOf();
    const registry = openClient(t, { monotonic: () => now, random: () => 0, log });
    let n = 0;
    const read = () => registry.digestOf(referenceTo(fake.host, `shop/web:x${(n += 1)}`), ask);
    fake.answering = (_, response) => {
      fault(response, 503, 'UNAVAILABLE');
      return true;
    };
    await faultOf(read());
    const probes: number[] = [];
    fake.since();
    for (now = 0; now < 200_000; now += 500) {
      const faults = await Promise.all([faultOf(read()), faultOf(read()), faultOf(read())]);
      assert.ok(faults.every(({ fault: why }) => why === 'unavailable'));
      const tags = new Set(fake.since().map(({ url }) => url));
      assert.ok(tags.size <= 1, `${tags.size} questions at ${now}`);
      if (tags.size === 1) probes.push(now);
    }
    assert.deepEqual(probes, [2_000, 6_000, 14_000, 30_000, 62_000, 122_000, 182_000]);
    assert.deepEqual(
      registry
        .away()
        .map(({ host, answeredBefore, awayMs, againMs }) => ({ host, answeredBefore, awayMs, againMs })),
      [{ host: fake.host, answeredBefore: false, awayMs: 200_000, againMs: 42_000 }],
    );
    fake.answering = null;
    now = 242_000;
    const tag = () => registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask);
    assert.match(await tag(), /^sha256:/);
    assert.deepEqual(registry.away(), []);
    assert.deepEqual(
      lines.map(({ message }) => message),
      [
        'a registry does not answer; its images are decided without asking it meanwhile',
        'a registry answers again',
      ],
    );
  });

  test('what it says no to, lacks, or would send at length is an answer: it is asked on', async (t) => {
    for (const [status, code] of [
      [401, 'UNAUTHORIZED'],
      [404, 'MANIFEST_UNKNOWN'],
      [429, 'TOOMANYREQUESTS'],
    ] as const) {
      const { fake } = await pushedWorld(t);
      const registry = openClient(t);
      fake.answering = (_, response) => {
        fault(response, status, code);
        return true;
      };
      await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
      assert.deepEqual(registry.away(), [], String(status));
    }
    const { fake, made } = await pushedWorld(t);
    const registry = openClient(t);
    fake.answering = ({ url }, response) => url.includes('/blobs/') && (response.destroy(), true);
    const digest = made.blobs[0]?.digest ?? '';
    const size = 10;
    await faultOf(
      registry.blob(referenceTo(fake.host, 'shop/web'), { digest, size }, { ...ask, maxBytes: 100 }),
    );
    assert.deepEqual(registry.away(), [], 'a blob that cannot be read says little of the registry');
  });

  test('one repository with a fault of its own takes no other of its registry away', async (t) => {
    const { fake } = await pushedWorld(t);
    let now = 0;
    const registry = openClient(t, { monotonic: () => now, random: () => 0 });
    const read = (name: string) => registry.digestOf(referenceTo(fake.host, name), ask);
    await read('shop/web:1');
    fake.answering = ({ url }, response) => {
      if (!url.includes('/broken')) return false;
      fault(response, 500, 'UNKNOWN');
      return true;
    };
    for (let i = 0; i < 10; i += 1) {
      assert.equal((await faultOf(read(`shop/broken:${i}`))).fault, 'unavailable');
      assert.deepEqual(registry.away(), []);
      now += 31_000; // no answer is remembered so long
      assert.match(await read('shop/web:1'), /^sha256:/);
    }
    // Nothing else answered meanwhile: then it is the registry.
    await faultOf(read('shop/broken:x'));
    assert.deepEqual(registry.away(), []);
    await faultOf(read('shop/broken-too:x'));
    assert.equal(registry.away().length, 1);
  });

  test('a tag that takes long takes no registry away that answers others meanwhile', async (t) => {
    for (const answersOthers of [true, false]) {
      const { fake } = await pushedWorld(t);
      const time = virtualTime();
      const registry = openClient(t, { monotonic: () => time.now, after: time.after, random: () => 0 });
      const read = (name: string) => registry.digestOf(referenceTo(fake.host, name), ask);
      await read('shop/web:1');
      const slow = Promise.withResolvers<ServerResponse>();
      fake.answering = ({ url }, response) => {
        if (url.includes('/slow')) slow.resolve(response);
        return url.includes('/slow');
      };
      const asked = faultOf(read('shop/slow:1'));
      const response = await slow.promise;
      time.now = 31_000;
      if (answersOthers) await read('shop/web:1');
      time.next();
      assert.equal(registry.away().length, answersOthers ? 0 : 1);
      fake.answering = null;
      fault(response, 404, 'MANIFEST_UNKNOWN');
      await asked;
      assert.deepEqual(registry.away(), []);
    }
  });

  test('one that answers too late for a review is known to the next', async (t) => {
    const { fake, made } = await pushedWorld(t);
    fake.asked.length = 0;
    const late = Promise.withResolvers<void>();
    fake.answering = (_, response) => {
      void late.promise.then(() =>
        response.writeHead(200, { 'docker-content-digest': made.manifest.digest }).end(),
      );
      return true;
    };
    const registry = openClient(t);
    const { log } = logOf();
    const lookup = digestLookup({ registry, clock: { now: () => 0 }, log });
    const gone = new AbortController();
    const first = lookup.digestOf(`${fake.host}/shop/web:1`, gone.signal);
    while (fake.asked.length === 0) await turn();
    gone.abort();
    assert.deepEqual(await first, { digest: null, why: `${fake.host} did not answer in time` });
    late.resolve();
    while ((await registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask)) !== made.manifest.digest)
      await turn();
    assert.equal(fake.asked.length, 1);
  });

  test('hosts that lead nowhere do not take the places of registries that answer', async (t) => {
    const { fake, made } = await pushedWorld(t);
    const registry: OpenRegistry = openClient(t);
    await registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask);
    const dead = await Promise.all(Array.from({ length: 40 }, () => startFakeRegistry(t)));
    for (const one of dead) one.answering = () => true;
    const gone = new AbortController();
    const waiting = dead.map(({ host }) =>
      faultOf(registry.digestOf(referenceTo(host, 'a/b:1'), { signal: gone.signal })),
    );
    while (dead.filter(({ asked }) => asked.length > 0).length < 8) await turn();
    fake.since();
    const { digest } = made.manifest;
    const manifest = await registry.manifest(referenceTo(fake.host, 'shop/web'), digest, ask);
    assert.equal(manifest.digest, digest);
    assert.equal(dead.filter(({ asked }) => asked.length > 0).length, 8);
    gone.abort();
    await Promise.all(waiting);
  });

  test('the first answer of a host admits all who waited for it', async (t) => {
    const { fake, made } = await pushedWorld(t);
    fake.asked.length = 0;
    const first = Promise.withResolvers<void>();
    const told = (response: ServerResponse) =>
      response.writeHead(200, { 'docker-content-digest': made.manifest.digest }).end();
    fake.answering = (_, response) => {
      void first.promise.then(() => told(response));
      return true;
    };
    const registry = openClient(t);
    const all = Array.from({ length: 30 }, (_, i) =>
      registry.digestOf(referenceTo(fake.host, `shop/web:${i}`), ask),
    );
    while (fake.asked.length < 2) await turn();
    await turn();
    assert.equal(fake.asked.length, 2);
    first.resolve();
    assert.deepEqual(new Set(await Promise.all(all)), new Set([made.manifest.digest]));
  });

  test('the log names a bounded number of hosts, whatever pods are made up', async (t) => {
    const { lines, log } = logOf();
    const registry = openClient(t, { log });
    for (let i = 0; i < 40; i += 1)
      await faultOf(registry.digestOf(referenceTo(`127.0.0.1:${i + 1}`, 'a/b:1'), ask));
    assert.equal(registry.away().length, 40);
    assert.equal(lines.length, 21);
  });
});
