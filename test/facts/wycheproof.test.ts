import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { verifyWithKey } from '../../src/facts/keys.ts';

interface Vectors {
  readonly testGroups: readonly {
    readonly publicKeyPem: string;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly msg: string;
      readonly sig: string;
      readonly result: string;
    }[];
  }[];
}

const DATA = new URL('../../../shared/data/wycheproof/', import.meta.url);

for (const [file, valid, invalid] of [
  ['ed25519_test.json', 88, 63],
  ['ecdsa_secp256r1_sha256_test.json', 174, 310],
] as const) {
  const url = new URL(file, DATA);
  const skip = existsSync(url) ? false : `${file} of Wycheproof is not at hand`;
  suite(`Wycheproof ${file}`, { skip }, () => {
    if (skip !== false) return;
    const { testGroups } = JSON.parse(readFileSync(url, 'utf8')) as Vectors;
    const vectors = testGroups.flatMap(({ publicKeyPem, tests }) =>
      tests.map((vector) => ({ publicKeyPem, ...vector })),
    );

    test('has as many vectors as it had', () => {
      const count = (result: string): number => vectors.filter((vector) => vector.result === result).length;
      assert.deepEqual([count('valid'), count('invalid'), vectors.length], [valid, invalid, valid + invalid]);
    });

    for (const { tcId, comment, publicKeyPem, msg, sig, result } of vectors) {
      test(`${tcId} ${result} ${comment}`, () => {
        const verified = verifyWithKey(publicKeyPem, Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex'));
        assert.equal(verified, result === 'valid');
      });
    }
  });
}
