import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mergeProofs, NOTHING_KNOWN, type VexDocuments } from '../../src/supply-chain/index.ts';
import {
  WEB,
  OTHER,
  REPOSITORY,
  BUNDLE,
  ALICE,
  BOB,
  statement,
  vex,
  openVex,
  layer,
  registry,
  collect,
  factsOf,
} from './collect-parts.ts';
import { type Said } from './memory-verifier.ts';

suite('VEX statements', () => {
  const entriesOf = async (documents: readonly Said[], vexSources: VexDocuments | null = null) => {
    const asked = registry();
    documents.forEach((said) => asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, said)]));
    const collected = await collect(asked, { vexSources });
    return { collected, entries: collected.vex.entries };
  };

  test('one of an identity counts without its payload, one of a key with it', async () => {
    const { entries } = await entriesOf([
      { by: ALICE, statement: openVex('not_affected', '2026-01-01T00:00:00Z') },
      { by: 'key', statement: openVex('fixed', '2026-01-01T00:00:00Z') },
    ]);
    assert.deepEqual(
      entries.map(({ cve, status, identity, payload, packages }) => [
        cve,
        status,
        identity,
        payload !== null,
        packages,
      ]),
      [
        ['CVE-1', 'not_affected', ALICE.identity, false, null],
        ['CVE-1', 'fixed', null, true, null],
      ],
    );
  });
  test('the newest of one producer rules, and takes nothing from another', async () => {
    const { entries } = await entriesOf([
      { by: ALICE, statement: openVex('not_affected', '2026-01-01T00:00:00Z') },
      { by: BOB, statement: openVex('not_affected', '2026-01-01T00:00:00Z') },
      { by: ALICE, statement: openVex('affected', '2026-02-01T00:00:00Z') },
    ]);
    assert.deepEqual(
      entries.map(({ identity }) => identity),
      [BOB.identity],
    );
  });
  test('a newer document that any key signed takes back an older one, since the keys are not known here', async () => {
    const { entries } = await entriesOf([
      { by: 'key', statement: openVex('fixed', '2026-01-01T00:00:00Z') },
      { by: 'key', statement: openVex('under_investigation', '2026-02-01T00:00:00Z') },
    ]);
    assert.deepEqual(entries, []);
  });
  test('statements that take nothing out, and those about others, are counted and not kept', async () => {
    const { collected } = await entriesOf([
      { by: ALICE, statement: openVex('affected', '2026-01-01T00:00:00Z') },
      {
        by: ALICE,
        statement: openVex('fixed', '2026-01-01T00:00:00Z', { products: [{ '@id': `pkg:oci/x@${OTHER}` }] }),
      },
      { by: ALICE, statement: statement('https://openvex.dev/ns', { nothing: true }) },
    ]);
    assert.deepEqual(collected.vex.entries, []);
    assert.deepEqual(collected.vexTally, {
      statements: { affected: 1 },
      rejected: { other_image: 1, unreadable: 1 },
    });
  });
  test('a document that is too large for a statement is told, and read no further', async () => {
    const large = { ...(vex('fixed', '2026-01-01T00:00:00Z') as object), pad: 'x'.repeat(8 * 1024 * 1024) };
    const { collected } = await entriesOf([
      { by: ALICE, statement: statement('https://openvex.dev/ns', large) },
    ]);
    assert.deepEqual(collected.vex, { entries: [], complete: true });
    assert.deepEqual(collected.vexTally.rejected, { unreadable: 1 });
  });
  test('the parts that a statement is limited to are kept', async () => {
    const products = [{ '@id': 'pkg:oci/web', subcomponents: [{ '@id': 'pkg:apk/alpine/busybox' }] }];
    const { entries } = await entriesOf([
      { by: ALICE, statement: openVex('not_affected', '2026-01-01T00:00:00Z', { products }) },
    ]);
    assert.deepEqual(entries[0]?.packages, ['pkg:apk/alpine/busybox']);
  });
  test('payloads of keys are bounded, and what is left out is told', async () => {
    const pad = 'x'.repeat(60_000);
    const statements = Array.from({ length: 100 }, (_, i) => ({
      vulnerability: { name: `CVE-${i}` },
      status: 'fixed',
      impact_statement: pad.slice(0, 600),
    }));
    const document = { timestamp: '2026-01-01T00:00:00Z', statements };
    const { collected, entries } = await entriesOf([{ by: 'key', statement: statement('vex', document) }]);
    assert.ok(entries.length > 0 && entries.length < 100);
    assert.equal(collected.vexTally.rejected.too_large, 100 - entries.length);
    assert.ok(collected.problems.some(({ reason }) => reason === 'too_large'));
  });

  const source = (document: unknown, complete = true): VexDocuments => ({
    documents: async () => ({
      documents: [
        {
          where: 'vex.json',
          vex: document as never,
          by: 'identity',
          signed: [{ ...ALICE, payload: null, signature: null, payloadType: null }],
          attached: false,
        },
      ],
      problems: [],
      complete,
    }),
  });
  const named = (product: string) => ({
    format: 'openvex',
    statements: [
      { ids: ['CVE-1'], status: 'fixed', at: 1, products: [{ names: [product], hashes: [], parts: null }] },
    ],
  });
  test('a document of a source counts only for the digest that it names', async () => {
    const { entries } = await entriesOf([], source(named(`pkg:oci/web@${WEB}`)));
    assert.equal(entries.length, 1);
    const { collected } = await entriesOf([], source(named('pkg:oci/web?repository_url=ghcr.io/acme/web')));
    assert.deepEqual(collected.vex.entries, []);
    assert.equal(collected.vexTally.rejected.no_digest, 1);
    assert.ok(collected.problems.some(({ reason }) => reason === 'no_digest'));
  });
  test('while a source was never read, what was known stays, and what is attached counts', async () => {
    const attached = [{ by: BOB, statement: openVex('fixed', '2026-01-01T00:00:00Z') }];
    const none: VexDocuments = { documents: async () => ({ documents: [], problems: [], complete: false }) };
    const { collected } = await entriesOf(attached, none);
    assert.equal(factsOf(collected).vex?.length, 1);
    const known = {
      ...NOTHING_KNOWN,
      vex: [{ ...ALICE, payload: null, signature: null, payloadType: null, cve: 'CVE-9', status: 'fixed' }],
    };
    assert.deepEqual(mergeProofs(known, collected).vex, known.vex);
    const { collected: bare } = await entriesOf([], none);
    assert.equal(factsOf(bare).vex, null);
  });
});

suite('VEX of anyone who can push', () => {
  const bomb = (n: number, ids = 999, parts = 99): Said => {
    const vulnerability = { name: 'x', aliases: Array.from({ length: ids }, (_, i) => `C${n}-${i}`) };
    const subcomponents = Array.from({ length: parts }, (_, i) => ({ '@id': `pkg:deb/p${i}` }));
    const products = [{ '@id': `pkg:oci/web@sha256:${'a'.repeat(64)}`, subcomponents }];
    return {
      by: 'key',
      statement: openVex('not_affected', '2026-01-01T00:00:00Z', { vulnerability, products }),
    };
  };
  test('documents that are small and say much are bounded together, and do not crowd out others', async () => {
    const asked = registry();
    for (let n = 0; n < 40; n += 1) asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, bomb(n))]);
    const said = { by: ALICE, statement: openVex('not_affected', '2026-01-01T00:00:00Z') };
    asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, said)]);
    const collected = await collect(asked);
    const sum = Object.values(collected.vexTally.statements).reduce((a, b) => a + b, 0);
    assert.ok(sum <= 100_000, `${sum} claims were looked at`);
    assert.ok(
      collected.vex.entries.some(({ identity, cve }) => identity === ALICE.identity && cve === 'CVE-1'),
    );
    // What was left out may take a statement back.
    assert.equal(collected.vex.complete, false);
    assert.match(collected.problems.map(({ message }) => message).join(), /together they make more than/);
  });

  test('the statements of identities are kept up to a size too', async () => {
    const asked = registry();
    for (let n = 0; n < 60; n += 1) {
      const by = { identity: `${'m'.repeat(2000)}${n}@example.com`, issuer: 'https://issuer.example' };
      const said = { ...bomb(n, 800, 1), by };
      asked.refer(REPOSITORY, WEB, BUNDLE, [layer(BUNDLE, said)]);
    }
    const { vex } = await collect(asked);
    assert.ok(vex.entries.length > 0);
    assert.ok(JSON.stringify(vex.entries).length < 8 * 1024 * 1024);
  });

  test('making something unreadable keeps no statement active that was taken back', async () => {
    const asked = registry();
    asked.refer(REPOSITORY, WEB, BUNDLE, [
      layer(BUNDLE, { by: ALICE, statement: openVex('not_affected', '2026-01-01T00:00:00Z') }),
    ]);
    const known = factsOf(await collect(asked));
    assert.equal(known.vex?.length, 1);
    asked.faults.set('att', 'unavailable');
    assert.equal(mergeProofs(known, await collect(asked)).vex?.length, 1, 'read again, it stands');
    asked.refer(REPOSITORY, WEB, BUNDLE, [
      layer(BUNDLE, { by: BOB, statement: openVex('affected', '2026-02-01T00:00:00Z') }),
    ]);
    assert.equal(mergeProofs(known, await collect(asked)).vex?.length, 1, 'another one cannot take it back');
    asked.refer(REPOSITORY, WEB, BUNDLE, [
      layer(BUNDLE, { by: ALICE, statement: openVex('affected', '2026-02-01T00:00:00Z') }),
    ]);
    const collected = await collect(asked);
    assert.equal(collected.vex.complete, false);
    assert.deepEqual(mergeProofs(known, collected).vex, []);
  });
});
