import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { publicPem } from '../../fixtures/decisions/keys.ts';
import type { SignedEntry } from '../../src/facts/index.ts';
import { decisionStore, type Store } from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { critical, inToto, KEY, OTHER, signed, WEB } from '../facts/signed.ts';
import { forEachEngine } from './engines.ts';

const IN_TOTO = 'application/vnd.in-toto+json';
const keyless: SignedEntry = {
  ...{ identity: 'https://ci.example', issuer: 'https://issuer.example' },
  ...{ payload: null, signature: null, payloadType: null },
};

/** Signatures of an image, and whether one of them was verified where KEY is trusted. */
const CASES: readonly (readonly [
  name: string,
  signatures: readonly SignedEntry[] | null,
  signed: boolean,
])[] = [
  ['none was looked for', null, false],
  ['there is none', [], false],
  ['a keyless one was verified when it was recorded', [keyless], true],
  ['a keyless one without an issuer', [{ ...keyless, issuer: null }], true],
  ['the trusted key made it', [signed(critical(WEB))], true],
  ['the trusted key made it as an envelope', [signed(inToto(WEB, 'p'), IN_TOTO)], true],
  ['the trusted key made it of another image', [signed(critical(OTHER))], false],
  ['its payload was changed', [{ ...signed(critical(WEB)), payload: 'e30=' }], false],
  ['one of several', [signed(critical(OTHER)), signed(critical(WEB))], true],
  ['a keyless one whose payload is of another image', [{ ...signed(critical(OTHER)), ...ids() }], false],
];

function ids(): Pick<SignedEntry, 'identity' | 'issuer'> {
  const { identity, issuer } = keyless;
  return { identity, issuer };
}

async function keep(store: Store, signatures: readonly SignedEntry[] | null): Promise<void> {
  const stored =
    signatures?.map(({ payloadType, ...entry }) => ({ ...entry, payload_type: payloadType })) ?? null;
  await store.write(async (transaction) => {
    await run(
      transaction,
      sql`insert into images (digest, first_seen_at) values (${WEB}, 1) on conflict (digest) do nothing`,
    );
    await run(
      transaction,
      sql`insert into image_proofs (digest, signatures) values (${WEB}, ${stored === null ? null : JSON.stringify(stored)})
        on conflict (digest) do update set signatures = excluded.signatures`,
    );
  });
}

forEachEngine('whether an image of an event is signed', (engine) => {
  test('only a signature counts that was verified', async (t) => {
    const store = await engine.open(t);
    const decisions = decisionStore(store, async () => [publicPem('p256'), KEY]);
    for (const [name, signatures, expected] of CASES) {
      await keep(store, signatures);
      for (const time of ['first', 'second'])
        assert.equal((await decisions.images([WEB])).get(WEB)?.signed, expected, `${name}, the ${time} time`);
    }
  });

  test('a key counts as long as a policy in effect names it', async (t) => {
    const store = await engine.open(t);
    let keys: readonly string[] = [];
    const decisions = decisionStore(store, async () => keys);
    await keep(store, [signed(critical(WEB))]);
    for (const now of [[], [publicPem('p256')], [KEY], [publicPem('p256'), KEY], []]) {
      keys = now;
      assert.equal((await decisions.images([WEB])).get(WEB)?.signed, now.includes(KEY));
    }
  });
});
