import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isUnder, parseReference } from '../../src/image/index.ts';
import { F, INVALID, VALID } from './references.ts';
import { runs } from '../runs.ts';

suite('references that are valid', () => {
  for (const [text, host, path, tag = null, digest = null] of VALID) {
    test(text.slice(0, 80), () => {
      assert.deepEqual(parseReference(text), { text, host, path, name: `${host}/${path}`, tag, digest });
    });
  }
});

suite('texts that are not a reference', () => {
  for (const text of INVALID) {
    test(JSON.stringify(text.slice(0, 60)), () => {
      const result = parseReference(text);
      assert.ok('fault' in result, JSON.stringify(result));
      assert.match(result.fault, /^(is|has) [\x20-\x7e]+$/);
      assert.ok(result.fault.length < 120);
    });
  }
});

test('the table is as large as it claims', () => {
  assert.ok(VALID.length + INVALID.length >= 140);
  assert.equal(new Set([...VALID.map(([text]) => text), ...INVALID]).size, VALID.length + INVALID.length);
});

const component = fc.stringMatching(/^[a-z0-9]{1,5}((\.|_|__|-{1,3})[a-z0-9]{1,4}){0,2}$/);
const host = fc.constantFrom(
  'ghcr.io',
  'registry.shop.example:5000',
  'localhost',
  '[::1]:5000',
  '10.0.0.7:443',
);

test('what is put together is taken apart again', () => {
  const parts = fc.record({
    host,
    path: fc.array(component, { minLength: 1, maxLength: 4 }).map((list) => list.join('/')),
    tag: fc.option(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,12}$/)),
    digest: fc.option(fc.constant(F)),
  });
  fc.assert(
    fc.property(parts, ({ host, path, tag, digest }) => {
      const text = `${host}/${path}${tag === null ? '' : `:${tag}`}${digest === null ? '' : `@${digest}`}`;
      assert.deepEqual(parseReference(text), { text, host, path, name: `${host}/${path}`, tag, digest });
    }),
  );
});

test('no text makes it throw, and what it accepts holds nothing but ASCII without spaces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const result = parseReference(text);
      if (!('fault' in result)) assert.match(result.text, /^[\x21-\x7e]+$/);
    }),
    { numRuns: runs(3000) },
  );
});

suite('isUnder', () => {
  const table: readonly (readonly [name: string, entry: string, under: boolean])[] = [
    ['ghcr.io/acme/web', 'ghcr.io', true],
    ['ghcr.io/acme/web', 'ghcr.io/acme', true],
    ['ghcr.io/acme/web', 'ghcr.io/acme/web', true],
    ['ghcr.io/acme/web', 'ghcr.io/acme/web/x', false],
    ['ghcr.io/acme-evil/web', 'ghcr.io/acme', false],
    ['ghcr.io/acme.evil/web', 'ghcr.io/acme', false],
    ['ghcr.io.evil/acme/web', 'ghcr.io', false],
    ['ghcr.io:443/acme/web', 'ghcr.io', false],
    ['evil.io/ghcr.io/web', 'ghcr.io', false],
    ['docker.io/library/nginx', 'docker.io/library', true],
    ['docker.io/library/nginx', 'docker.io/nginx', false],
  ];
  for (const [name, entry, under] of table) {
    test(`${name} is ${under ? '' : 'not '}under ${entry}`, () => assert.equal(isUnder(name, entry), under));
  }

  test('a name is under each of its own beginnings that end at a slash, and under no other', () => {
    fc.assert(
      fc.property(
        host,
        fc.array(component, { minLength: 1, maxLength: 4 }),
        fc.nat(60),
        (host, path, cut) => {
          const name = [host, ...path].join('/');
          const entry = name.slice(0, cut);
          fc.pre(entry !== '');
          const segments = entry.split('/');
          const whole = segments.every((segment, i) => segment === [host, ...path][i]);
          assert.equal(isUnder(name, entry), whole);
        },
      ),
    );
  });
});
