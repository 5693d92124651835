import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { digestLookup } from '../../src/adapters/registry/index.ts';
import { ExpiringCache } from '../../src/adapters/registry/cache.ts';
import { Flights } from '../../src/adapters/registry/flights.ts';
import { Places } from '../../src/adapters/registry/places.ts';
import type { Keys, Log } from '../../src/base/index.ts';
import { RegistryError } from '../../src/image/index.ts';
import { fault } from './fake-registry.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';
import { pushedWorld } from './pushed-world.ts';

suite('what is remembered', () => {
  test('a digest for ever, a tag for half a minute, what is missing for ten seconds', async (t) => {
    const { fake, made } = await pushedWorld(t);
    let now = 0;
    const registry = openClient(t, { monotonic: () => now });
    const reference = referenceTo(fake.host, 'shop/web:1');
    const read = async (): Promise<string[]> => {
      const { image } = await registry.platformImage(reference, null, ask);
      await registry.config(reference, image, ask);
      assert.equal(await registry.attached(reference, image.digest, 'sig', ask), null);
      return fake.since().map(({ method, url }) => `${method} ${url.split('/').slice(4).join('/')}`);
    };
    const sig = `GET manifests/${made.manifest.digest.replace(':', '-')}.sig`;
    assert.deepEqual(await read(), [
      'HEAD manifests/1',
      `GET manifests/${made.manifest.digest}`,
      `GET blobs/${made.blobs[0]?.digest}`,
      sig,
    ]);
    now = 9_999;
    assert.deepEqual(await read(), []);
    now = 10_000;
    assert.deepEqual(await read(), [sig]);
    now = 29_999;
    assert.deepEqual(await read(), [sig]);
    now = 30_000;
    assert.deepEqual(await read(), ['HEAD manifests/1']);
    now = 1e12;
    assert.deepEqual(await read(), ['HEAD manifests/1', sig]);
  });

  test('many who ask the same at once are answered by one call', async (t) => {
    const { fake } = await pushedWorld(t);
    const registry = openClient(t);
    const reference = referenceTo(fake.host, 'shop/web:1');
    await Promise.all(Array.from({ length: 300 }, () => registry.platformImage(reference, null, ask)));
    assert.equal(fake.since().length, 2);
  });

  test('a registry that asks to slow down is not called for as long as it says', async (t) => {
    const { fake } = await pushedWorld(t);
    let now = 0;
    const registry = openClient(t, { monotonic: () => now });
    fake.answering = (_, response) => {
      response.writeHead(429, { 'retry-after': '30' }).end();
      return true;
    };
    const first = await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
    assert.deepEqual([first.fault, first.retryAfter, first.mayPass], ['rate_limited', 30, true]);
    fake.answering = null;
    fake.since();
    now = 29_000;
    const other = await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/other:1'), ask));
    assert.deepEqual([other.fault, other.retryAfter, fake.since().length], ['rate_limited', 1, 0]);
    now = 60_001;
    assert.match(await registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask), /^sha256:/);
  });

  test('a registry that cannot be asked is asked again soon', async (t) => {
    const { fake } = await pushedWorld(t);
    let now = 0;
    const registry = openClient(t, { monotonic: () => now });
    fake.answering = (_, response) => {
      fault(response, 503, 'UNAVAILABLE');
      return true;
    };
    const read = () => registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask);
    assert.equal((await faultOf(read())).fault, 'unavailable');
    fake.answering = null;
    fake.since();
    assert.equal((await faultOf(read())).fault, 'unavailable');
    assert.equal(fake.since().length, 0);
    now = 2_000;
    assert.match(await read(), /^sha256:/);
  });

  test('a kept connection that the registry ended is made again', async (t) => {
    const { fake } = await pushedWorld(t);
    const registry = openClient(t);
    await registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask);
    let cut = true;
    fake.answering = (_, response) => {
      if (!cut) return false;
      cut = false;
      response.destroy();
      return true;
    };
    assert.equal(
      (await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/web:2'), ask))).fault,
      'absent',
    );
    assert.equal(cut, false);
  });

  test('what was remembered stays within its bound, the oldest going first', () => {
    let now = 0;
    const cache = new ExpiringCache<number>({ maxSize: 10, monotonic: () => now });
    for (let i = 0; i < 5; i += 1) cache.set(`k${i}`, i, 3, i === 4 ? 5 : Infinity);
    assert.deepEqual([cache.get('k1'), cache.get('k2'), cache.get('k4'), cache.size], [undefined, 2, 4, 9]);
    cache.set('k5', 5, 3, Infinity);
    assert.deepEqual([cache.get('k3'), cache.get('k2')], [undefined, 2], 'what was used last is kept');
    cache.set('huge', 1, 11, Infinity);
    assert.equal(cache.get('huge'), undefined);
    now = 5;
    assert.deepEqual([cache.get('k4'), cache.size], [undefined, 6]);
    cache.set('k5', 6, 1, Infinity);
    assert.equal(cache.size, 4);
  });
});

suite('who waits', () => {
  test('one that leaves keeps the others waiting; when nobody waits, it ends', async (t) => {
    const { fake } = await pushedWorld(t);
    const hung = Promise.withResolvers<void>();
    fake.answering = (_, response) => {
      hung.resolve();
      response.on('close', () => closed.resolve());
      return true;
    };
    const closed = Promise.withResolvers<void>();
    const registry = openClient(t);
    const [one, two] = [new AbortController(), new AbortController()];
    const reference = referenceTo(fake.host, 'shop/web:1');
    const first = faultOf(registry.digestOf(reference, { signal: one.signal }));
    const second = faultOf(registry.digestOf(reference, { signal: two.signal }));
    await hung.promise;
    one.abort();
    assert.equal((await first).fault, 'cancelled');
    assert.equal(fake.since().length, 1);
    two.abort();
    assert.equal((await second).fault, 'cancelled');
    await closed.promise;
    fake.answering = null;
    assert.match(await registry.digestOf(reference, ask), /^sha256:/, 'and nothing of it is remembered');
  });

  test('a whole question has an end, however many calls it takes', async (t) => {
    const { fake } = await pushedWorld(t);
    fake.answering = () => true;
    const registry = openClient(t, { askMs: 100 });
    const error = await faultOf(registry.digestOf(referenceTo(fake.host, 'shop/web:1'), ask));
    assert.deepEqual([error.fault, /within 0.1 seconds/.test(error.message)], ['unavailable', true]);
  });

  test('a signal that has ended asks nothing', async (t) => {
    const { fake } = await pushedWorld(t);
    const error = await faultOf(
      openClient(t).digestOf(referenceTo(fake.host, 'shop/web:1'), { signal: AbortSignal.abort() }),
    );
    assert.deepEqual([error.fault, fake.since().length], ['cancelled', 0]);
  });

  test('places: so many for one host, so many for all, in turn, and none is lost', async () => {
    const places = new Places(2, 3);
    const { signal } = new AbortController();
    const leaves = [await places.enter('a', signal), await places.enter('a', signal)];
    const order: string[] = [];
    const waiter = (name: string, host: string, by = signal) =>
      places.enter(host, by).then(
        (leave) => {
          order.push(name);
          return leave;
        },
        () => order.push(`${name} left`),
      );
    const gone = new AbortController();
    void waiter('a3', 'a');
    void waiter('a4', 'a', gone.signal);
    const b1 = waiter('b1', 'b');
    void waiter('b2', 'b');
    await turn();
    assert.deepEqual(order, ['b1']);
    gone.abort(new RegistryError('cancelled', 'x'));
    await turn();
    leaves[0]?.();
    await turn();
    assert.deepEqual(order, ['b1', 'a4 left', 'a3']);
    ((await b1) as () => void)();
    await turn();
    assert.deepEqual(order, ['b1', 'a4 left', 'a3', 'b2']);
  });

  test('flights end when their last passenger leaves, and the next one starts afresh', async () => {
    const flights = new Flights(60_000);
    let starts = 0;
    const start = (signal: AbortSignal) =>
      new Promise<number>((_, reject) => {
        starts += 1;
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const cut = new AbortController();
    const waiting = faultOf(flights.join('x', cut.signal, start));
    cut.abort();
    assert.equal((await waiting).fault, 'cancelled');
    const { signal } = new AbortController();
    assert.equal(await flights.join('x', signal, () => Promise.resolve(7)), 7);
    assert.equal(starts, 1);
  });
});

suite('digests of tags, for the webhook', () => {
  const lines: { message: string; keys: Keys | undefined }[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message, keys) => void lines.push({ message, keys }),
    error: () => undefined,
  };

  test('gives what is known, else why it is not, and tells of a host once in ten minutes', async (t) => {
    const { fake, made } = await pushedWorld(t);
    lines.length = 0;
    let now = 0;
    let monotonic = 0;
    const lookup = digestLookup({
      registry: openClient(t, { monotonic: () => monotonic }),
      clock: { now: () => now },
      log,
    });
    const { signal } = new AbortController();
    const known = `sha256:${'a'.repeat(64)}`;
    const ofTag = async (text: string, by = signal) => (await lookup.digestOf(text, by)).digest;
    assert.equal(await ofTag(`${fake.host}/shop/web:1`), made.manifest.digest);
    assert.equal(await ofTag(`${fake.host}/shop/web@${known}`), known);
    for (const text of ['', 'UPPER', `${fake.host}/shop/web:none`, '::', known])
      assert.equal(await ofTag(text), null, text);
    assert.equal(lines.length, 0, 'that a tag is not there is nothing to tell of');
    fake.answering = (_, response) => {
      fault(response, 401, 'UNAUTHORIZED');
      return true;
    };
    for (const at of [0, 599_999, 600_000]) {
      now = at;
      monotonic += 100_000;
      assert.equal(await ofTag(`${fake.host}/shop/web:1`), null);
    }
    assert.equal(lines.length, 2);
    assert.equal(lines[0]?.keys?.['host'], fake.host);
    fake.answering = () => true;
    const late = AbortSignal.timeout(50);
    assert.equal(await ofTag(`${fake.host}/shop/late:1`, late), null);
    assert.equal(lines.length, 2);
  });
});
