import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parseChallenges } from '../../src/adapters/registry/challenge.ts';
import { readConfig } from '../../src/adapters/registry/config.ts';
import { isContent, isReadable } from '../../src/adapters/registry/content.ts';
import { readManifest } from '../../src/adapters/registry/manifest.ts';
import { RegistryError } from '../../src/image/index.ts';
import { runs } from '../runs.ts';
import { descriptorOf, DOCKER, imageOf, indexOf, OCI } from './images.ts';

const TYPES = [...Object.values(OCI), ...Object.values(DOCKER), 'application/json', 'text/html', ''];
const IMAGE = imageOf('web', { labels: { a: 'b' } });
const INDEX = indexOf([descriptorOf(IMAGE.manifest, { platform: { os: 'linux', architecture: 'amd64' } })]);
const SEEDS = [IMAGE.manifest.bytes, INDEX.bytes, IMAGE.blobs[0]?.bytes ?? Buffer.alloc(0)];

/** Longest that one input may take, in milliseconds of this process. */
const MOST_MS = 100;

/** Changes bytes of a document here and there: other bytes, cut, doubled, put together. */
const mutated = fc
  .record({
    seed: fc.constantFrom(...SEEDS),
    edits: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        kind: fc.nat(3),
        byte: fc.nat(255),
        text: fc.constantFrom(
          '{',
          '}',
          '"',
          ',',
          'null',
          '[]',
          '1e999',
          '"manifests":[],',
          '"mediaType":1,',
          '\u0000',
        ),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ seed, edits }) => {
    let bytes = Buffer.from(seed);
    for (const { at, kind, byte, text } of edits) {
      const place = Math.floor(at * bytes.length);
      if (kind === 0)
        bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from(text), bytes.subarray(place)]);
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + byte)]);
      else if (kind === 2) bytes = Buffer.concat([bytes, bytes.subarray(place, place + byte)]);
      else if (bytes.length > 0) bytes[Math.min(place, bytes.length - 1)] = byte;
    }
    return bytes;
  });

/** Runs a reader: it gives something or throws a RegistryError, quickly; on a machine that is slow now, within ten times a bare parser. */
function hold<T>(act: () => T): T | null {
  const began = process.cpuUsage();
  const given = outcome(act);
  const { user } = process.cpuUsage(began);
  if (user / 1000 >= MOST_MS * 5) assert.ok(user < 10 * bareParse(), `it took ${user / 1000} ms`);
  return given;
}

/** What JSON.parse takes now for as many elements as the largest text here has, in microseconds of CPU. */
function bareParse(): number {
  const text = `[${'{},'.repeat(1_000_000)}{}]`;
  const began = process.cpuUsage();
  JSON.parse(text);
  return process.cpuUsage(began).user;
}

function outcome<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    assert.ok(error instanceof RegistryError, String(error));
    assert.ok(error.fault === 'unreadable' || error.fault === 'unsupported', error.fault);
    return null;
  }
}

suite('what registries may answer', () => {
  test('manifests, changed here and there', () => {
    fc.assert(
      fc.property(mutated, fc.constantFrom(...TYPES), (bytes, type) => {
        const found = hold(() => readManifest(bytes, type, 'x'));
        if (found === null) return;
        assert.ok(isReadable(found.digest) && isContent(bytes, found.digest));
        const all = found.kind === 'index' ? found.manifests : [found.config, ...found.layers];
        for (const { digest, size, annotations } of all) {
          assert.match(digest, /^[a-z0-9+._-]+:[a-zA-Z0-9=_-]+$/);
          assert.ok(Number.isSafeInteger(size) && size >= 0);
          assert.ok(Object.values(annotations).every((text) => typeof text === 'string'));
        }
      }),
      { numRuns: runs(25_000) },
    );
  });

  test('manifests and configurations out of any JSON', () => {
    const json = fc.json({ maxDepth: 6 });
    fc.assert(
      fc.property(json, fc.constantFrom(...TYPES), (text, type) => {
        hold(() => readManifest(Buffer.from(text), type, 'x'));
        hold(() => readConfig(Buffer.from(text), type, 'x'));
        hold(() => readManifest(Buffer.from(`{"schemaVersion":2,"manifests":${text}}`), type, 'x'));
        hold(() =>
          readManifest(Buffer.from(`{"schemaVersion":2,"config":${text},"layers":${text}}`), type, 'x'),
        );
      }),
      { numRuns: runs(5_000) },
    );
    const deep = Buffer.from(`{"schemaVersion":2,"manifests":${'['.repeat(1_000_000)}`);
    hold(() => readManifest(deep, OCI.index, 'x'));
    hold(() =>
      readManifest(
        Buffer.from(`{"schemaVersion":2,"manifests":[${'{},'.repeat(1_000_000)}{}]}`),
        OCI.index,
        'x',
      ),
    );
  });

  test('challenges of every shape end', () => {
    const bearer = 'Bearer realm="https://auth.example/token",service="a b",scope="repository:a/b:pull,push"';
    const [challenge] = parseChallenges(`Negotiate abc==, ${bearer}, Basic realm="x"`).filter(
      ({ scheme }) => scheme === 'bearer',
    );
    assert.deepEqual(Object.fromEntries(challenge?.parameters ?? []), {
      ...{ realm: 'https://auth.example/token', service: 'a b', scope: 'repository:a/b:pull,push' },
    });
    const schemes = (text: string): string[] => parseChallenges(text).map(({ scheme }) => scheme);
    assert.deepEqual(schemes(`Basic realm="a", ${bearer}`), ['basic', 'bearer']);
    assert.deepEqual(schemes('Negotiate, Basic realm=x'), ['negotiate', 'basic']);
    assert.deepEqual(schemes('NTLM TlRMTVNTUAAB=, Basic realm="x"'), ['ntlm', 'basic']);
    assert.equal(parseChallenges('Bearer realm="a\\"b"')[0]?.parameters.get('realm'), 'a"b');
    assert.equal(parseChallenges('bearer REALM="a",realm="b"')[0]?.parameters.get('realm'), 'a');
    const part = fc.constantFrom(
      'Bearer',
      'Basic',
      ' ',
      ',',
      '=',
      '"',
      '\\',
      'realm',
      'a==',
      '"x y"',
      '\u00e9',
      '\t',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(part, { maxLength: 60 }).map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const began = process.cpuUsage();
          parseChallenges(text);
          assert.ok(process.cpuUsage(began).user / 1000 < MOST_MS * 5);
        },
      ),
      { numRuns: runs(10_000) },
    );
    for (const hostile of [
      'a='.repeat(4096),
      ' '.repeat(8192),
      `Bearer realm="${'\\'.repeat(8000)}`,
      `a ${'a'.repeat(8000)}`,
      'a ,'.repeat(3000),
    ]) {
      const began = process.cpuUsage();
      parseChallenges(hostile);
      assert.ok(process.cpuUsage(began).user / 1000 < MOST_MS * 5, hostile.slice(0, 20));
    }
  });
});
