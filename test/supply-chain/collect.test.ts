import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  isComplete,
  MAX_EVIDENCE,
  mergeProofs,
  NOTHING_KNOWN,
  MAX_KEPT,
} from '../../src/supply-chain/index.ts';
import {
  WEB,
  OTHER,
  REPOSITORY,
  BUNDLE,
  SIMPLE,
  DSSE,
  ALICE,
  BOB,
  statement,
  openVex,
  layer,
  registry,
  collect,
  factsOf,
} from './collect-parts.ts';
import { MemoryRegistry } from './memory-registry.ts';

suite('what is attached to an image', () => {
  test('nothing is none, once all was asked', async () => {
    const collected = await collect(registry());
    assert.ok(isComplete(collected));
    assert.deepEqual(factsOf(collected), { signatures: [], attestations: [], provenance: [], vex: [] });
    assert.deepEqual(collected.problems, []);
    assert.deepEqual(collected.attempts.map(({ what, outcome }) => `${what} ${outcome}`).toSorted(), [
      'att absent',
      'manifest read',
      'referrers read',
      'sig absent',
    ]);
  });

  test('signatures, attestations and provenance come by referrers and by the older tags, each once', async () => {
    const asked = registry();
    const provenance = statement('https://slsa.dev/provenance/v1', {
      runDetails: { builder: { id: 'https://builder.example' } },
    });
    asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, { by: ALICE, statement: provenance })]);
    asked.refer(REPOSITORY, WEB, 'application/vnd.dev.cosign.artifact.sig.v1+json', [
      layer(SIMPLE, { by: ALICE }),
    ]);
    asked.refer(REPOSITORY, WEB, 'application/spdx+json', [layer('application/spdx+json', { by: BOB })]);
    asked.tag(REPOSITORY, WEB, 'sig', [layer(SIMPLE, { by: ALICE }), layer(SIMPLE, { by: 'key' })]);
    asked.tag(REPOSITORY, WEB, 'att', [layer(DSSE, { by: BOB, statement: statement('sbom', {}) })]);
    const collected = await collect(asked);
    assert.deepEqual(
      collected.signatures.entries.map(({ identity }) => identity),
      [ALICE.identity, null],
    );
    assert.deepEqual(
      collected.attestations.entries.map(({ identity, predicateType }) => [identity, predicateType]),
      [
        [ALICE.identity, 'https://slsa.dev/provenance/v1'],
        [BOB.identity, 'sbom'],
      ],
    );
    assert.deepEqual(collected.provenance.entries, [
      { builderId: 'https://builder.example', signer: ALICE.identity, issuer: ALICE.issuer },
    ]);
    assert.ok(isComplete(collected));
  });

  test('a provenance by a key is kept with what the key must have signed, within the room of its list', async () => {
    const asked = registry();
    const built = (more: object) =>
      statement('https://slsa.dev/provenance/v1', {
        runDetails: { builder: { id: 'https://builder.example' }, ...more },
      });
    asked.tag(REPOSITORY, WEB, 'att', [layer(DSSE, { by: 'key', statement: built({}) })]);
    const collected = await collect(asked);
    const [entry, ...more] = collected.provenance.entries;
    assert.deepEqual(
      [entry?.builderId, entry?.signer, entry?.issuer, more.length],
      ['https://builder.example', null, null, 0],
    );
    assert.deepEqual(
      JSON.parse(Buffer.from(entry?.proof?.payload ?? '', 'base64').toString('utf8')),
      built({}),
    );
    assert.ok(isComplete(collected));

    const crowded = registry();
    const large = built({ metadata: 'x'.repeat(MAX_KEPT) });
    crowded.tag(REPOSITORY, WEB, 'att', [
      layer(DSSE, { by: 'key', statement: built({}) }),
      layer(DSSE, { by: 'key', statement: large }),
    ]);
    const kept = await collect(crowded);
    assert.deepEqual([kept.provenance.entries.length, kept.provenance.complete], [1, false]);
    assert.ok(kept.problems.some(({ message }) => /1 of the provenance that keys signed/.test(message)));
  });

  test('what does not verify does not count, and is told', async () => {
    const asked = registry();
    const not = { kind: 'refused', reason: 'signature', message: 'does not verify' } as const;
    asked.tag(REPOSITORY, WEB, 'sig', [layer(SIMPLE, { not })]);
    asked.tag(REPOSITORY, WEB, 'att', [layer(DSSE, { statement: statement('x', {}, OTHER) })]);
    const collected = await collect(asked);
    assert.deepEqual(factsOf(collected), { signatures: [], attestations: [], provenance: [], vex: [] });
    assert.deepEqual(
      collected.problems.map(({ reason, leavesUnknown }) => `${reason} ${leavesUnknown}`).toSorted(),
      ['other_subject false', 'signature false'],
    );
  });
});

test('the same proofs give the same facts, in whatever order a registry lists and answers', async () => {
  const layers = [
    layer(BUNDLE, { by: ALICE, statement: openVex('fixed', '2026-01-01T00:00:00Z') }),
    layer(BUNDLE, { by: 'key', statement: openVex('fixed', '2026-01-01T00:00:00Z') }),
    layer(BUNDLE, { by: 'key', statement: openVex('fixed', '2026-01-01T00:00:00Z', { more: 1 }) }),
    layer(BUNDLE, { by: BOB, statement: statement('sbom', {}) }),
    layer(SIMPLE, { by: BOB }),
    layer(SIMPLE, { by: ALICE }),
  ];
  const found: unknown[] = [];
  for (const order of [layers, layers.toReversed(), [...layers.slice(3), ...layers.slice(0, 3)]]) {
    const asked = registry();
    for (const one of order) asked.refer(REPOSITORY, WEB, BUNDLE, [one]);
    found.push(factsOf(await collect(asked)));
  }
  assert.deepEqual(found[1], found[0]);
  assert.deepEqual(found[2], found[0]);
});

suite('what could not be asked is unknown, never none', () => {
  const cases: readonly (readonly [string, 'unavailable' | 'denied' | 'too_large', readonly string[]])[] = [
    ['manifest', 'unavailable', ['signatures', 'attestations', 'provenance', 'vex']],
    ['referrers', 'denied', ['signatures', 'attestations', 'provenance', 'vex']],
    ['sig', 'unavailable', ['signatures']],
    ['att', 'unavailable', ['attestations', 'provenance', 'vex']],
  ];
  for (const [what, fault, lists] of cases)
    test(`${what}: ${fault}`, async () => {
      const asked = registry();
      asked.faults.set(what, fault);
      const collected = await collect(asked);
      const facts = factsOf(collected);
      for (const list of ['signatures', 'attestations', 'provenance', 'vex'] as const)
        assert.equal(facts[list] === null, lists.includes(list), list);
      assert.ok(collected.problems.some(({ reason, leavesUnknown }) => reason === fault && leavesUnknown));
      assert.ok(collected.attempts.some((one) => one.what === what && one.outcome === 'failed'));
    });

  test('a blob or a referrer that cannot be read leaves its lists unknown', async () => {
    const asked = registry();
    const { bytes } = layer(SIMPLE, { by: ALICE });
    asked.tag(REPOSITORY, WEB, 'sig', [{ mediaType: SIMPLE, bytes }]);
    asked.faults.set('blob', 'too_large');
    assert.equal(factsOf(await collect(asked)).signatures, null);
    asked.faults.clear();
    const referrer = asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, { by: ALICE })]);
    asked.faults.set(referrer, 'unavailable');
    const facts = factsOf(await collect(asked));
    assert.equal(facts.signatures?.length, 1);
    assert.equal(facts.vex, null);
  });

  test('a referrer that is listed but gone is told, and leaves nothing unknown', async () => {
    const asked = registry();
    const referrer = asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, { by: ALICE })]);
    asked.manifests.get(REPOSITORY)?.delete(referrer);
    const collected = await collect(asked);
    assert.ok(isComplete(collected));
    assert.deepEqual(
      collected.problems.map(({ reason }) => reason),
      ['absent'],
    );
  });

  test('an image that is nowhere to be found has unknown proofs', async () => {
    const collected = await collect(new MemoryRegistry());
    assert.deepEqual(factsOf(collected), NOTHING_KNOWN);
    assert.deepEqual(factsOf(await collect(registry(), { repositories: [] })), NOTHING_KNOWN);
  });

  test('evidence that could not be verified leaves its lists unknown', async () => {
    const asked = registry();
    const not = {
      kind: 'unverifiable',
      reason: 'no_trust_root',
      message: 'no trust root is available',
    } as const;
    asked.tag(REPOSITORY, WEB, 'sig', [layer(SIMPLE, { not })]);
    const collected = await collect(asked);
    assert.equal(factsOf(collected).signatures, null);
    assert.deepEqual(factsOf(collected).attestations, []);
    assert.deepEqual(
      collected.problems.map(({ reason, mayPass }) => [reason, mayPass]),
      [['no_trust_root', true]],
    );
  });

  test('what a key signed and is too large to keep is told, and leaves its list unknown', async () => {
    const asked = registry();
    const large = statement('sbom', { pad: 'x'.repeat(4 * 1024 * 1024) });
    asked.tag(REPOSITORY, WEB, 'att', [
      layer(DSSE, { by: 'key', statement: large }),
      layer(DSSE, { by: ALICE, statement: statement('sbom', {}) }),
    ]);
    const collected = await collect(asked);
    assert.deepEqual(
      collected.attestations.entries.map(({ identity }) => identity),
      [ALICE.identity],
    );
    assert.equal(collected.attestations.complete, false);
    assert.deepEqual(
      collected.problems.map(({ reason }) => reason),
      ['too_large'],
    );
  });

  test('all that is attached is bounded together', async () => {
    const asked = registry();
    const pad = 'x'.repeat(6_000_000);
    asked.tag(
      REPOSITORY,
      WEB,
      'att',
      Array.from({ length: 14 }, (_, i) =>
        layer(DSSE, { by: ALICE, statement: statement(`t${i}`, { pad }) }),
      ),
    );
    const collected = await collect(asked);
    assert.deepEqual([collected.attestations.entries.length, collected.attestations.complete], [11, false]);
    assert.equal(asked.asked.filter((what) => what.startsWith('blob')).length, 11);
  });

  test('more than is listed, and more than is looked at, is unknown; what verified still counts', async () => {
    const asked = registry();
    asked.complete = false;
    assert.deepEqual(factsOf(await collect(asked)), NOTHING_KNOWN);
    const flood = registry();
    flood.tag(
      REPOSITORY,
      WEB,
      'sig',
      Array.from({ length: MAX_EVIDENCE + 50 }, (_, i) =>
        layer(SIMPLE, { by: { ...ALICE, identity: `${i}` } }),
      ),
    );
    const collected = await collect(flood);
    assert.equal(collected.signatures.entries.length, MAX_EVIDENCE);
    assert.equal(collected.signatures.complete, false);
    assert.equal(flood.asked.filter((what) => what.startsWith('blob')).length, MAX_EVIDENCE);
  });
});

suite('an image in several repositories', () => {
  const MIRROR = 'mirror.example/acme/web';
  test('takes the proofs of all of them together', async () => {
    const asked = registry();
    asked.image(MIRROR, WEB);
    asked.tag(MIRROR, WEB, 'sig', [layer(SIMPLE, { by: ALICE })]);
    asked.tag(REPOSITORY, WEB, 'sig', [layer(SIMPLE, { by: ALICE }), layer(SIMPLE, { by: BOB })]);
    const collected = await collect(asked, { repositories: [MIRROR, REPOSITORY] });
    assert.deepEqual(
      collected.signatures.entries.map(({ identity }) => identity),
      [ALICE.identity, BOB.identity],
    );
  });
  test('names that lead nowhere do not hide the proofs of those that lead somewhere', async () => {
    const asked = registry();
    asked.tag(REPOSITORY, WEB, 'sig', [layer(SIMPLE, { by: ALICE })]);
    const wrong = [1, 2, 3, 4].map((n) => `evil.example/x${n}`);
    const collected = await collect(asked, { repositories: [...wrong, REPOSITORY] });
    assert.deepEqual(factsOf(collected).signatures?.length, 1);
    assert.ok(isComplete(collected));
  });
  test('one that does not have it takes nothing away; one that cannot be asked leaves it unknown', async () => {
    const asked = registry();
    assert.ok(isComplete(await collect(asked, { repositories: [MIRROR, REPOSITORY] })));
    const other = registry();
    other.image(MIRROR, WEB);
    other.faults.set('sig', 'unavailable');
    assert.equal((await collect(other, { repositories: [REPOSITORY, MIRROR] })).signatures.complete, false);
  });
});

suite('names that others gave an image', () => {
  const names = Array.from({ length: 12 }, (_, n) => `evil.example/x${n}`);
  test('beyond those that are asked leave the lists unknown, and what is known in place', async () => {
    const asked = registry();
    for (const name of names) asked.image(name, WEB); // copies, with nothing attached
    const collected = await collect(asked, { repositories: [...names, REPOSITORY] });
    assert.deepEqual(factsOf(collected), NOTHING_KNOWN);
    assert.match(
      collected.problems.map(({ message }) => message).join(),
      /seen in 13 repositories; 8 are asked/,
    );
    assert.ok(isComplete(await collect(asked, { repositories: [...names.slice(0, 7), REPOSITORY] })));
  });
  test('share the bytes that are read of one digest, and what is small is read first', async () => {
    const asked = registry();
    const [small, large] = [layer(SIMPLE, { by: ALICE }), 9 * 1024 * 1024];
    asked.tag(REPOSITORY, WEB, 'sig', [
      { mediaType: SIMPLE, bytes: Buffer.alloc(large) },
      { mediaType: SIMPLE, bytes: Buffer.alloc(large, 1) },
      small,
    ]);
    for (const name of names.slice(0, 7)) asked.image(name, WEB);
    const collected = await collect(asked, { repositories: [...names.slice(0, 7), REPOSITORY] });
    assert.deepEqual(
      collected.signatures.entries.map(({ identity }) => identity),
      [ALICE.identity],
    );
    assert.equal(collected.signatures.complete, false);
    assert.equal(asked.asked.filter((what) => what.startsWith('blob')).length, 1);
  });
});

test('many large manifests of what is attached are not held together', async () => {
  const asked = registry();
  for (let n = 0; n < 50; n += 1)
    asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, { by: ALICE, n } as object)]);
  let read = 0;
  const manifest = asked.manifest.bind(asked);
  asked.manifest = async (repository, digest) => {
    const found = await manifest(repository, digest);
    if (digest === WEB) return found;
    read += 1;
    return { ...found, bytes: Buffer.alloc(4 * 1024 * 1024) };
  };
  const collected = await collect(asked);
  assert.ok(read < 10, `${read} were read`);
  assert.equal(collected.signatures.complete, false);
  assert.ok(collected.problems.some(({ reason }) => reason === 'too_large'));
});

suite('what was known before', () => {
  const entry = (identity: string) => ({
    identity,
    issuer: null,
    payload: null,
    signature: null,
    payloadType: null,
  });
  const known = { ...NOTHING_KNOWN, signatures: [entry('known')] };
  test('is replaced by what was read whole', async () =>
    assert.deepEqual(mergeProofs(known, await collect(registry())).signatures, []));
  test('stays where it could not be read, with what was found', async () => {
    const asked = registry();
    asked.tag(REPOSITORY, WEB, 'sig', [layer(SIMPLE, { by: ALICE })]);
    asked.faults.set('referrers', 'unavailable');
    const merged = mergeProofs(known, await collect(asked));
    assert.deepEqual(
      merged.signatures?.map(({ identity }) => identity),
      [ALICE.identity, 'known'],
    );
    assert.deepEqual(mergeProofs(merged, await collect(asked)), merged);
  });
});
