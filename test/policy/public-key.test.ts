import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openPublicKey, publicKeyFault } from '../../src/policy/public-key.ts';
import { runs } from '../runs.ts';

const block = (base64: string): string => `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;

/** The SPKI form of an Ed25519 key is these bytes and the 32 of the key. */
const ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

describe('public keys', () => {
  it('are opened without a fault where they are 32 bytes of Ed25519, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.boolean(), (bytes, isCut) => {
        const pem = block(Buffer.concat([ED25519, bytes]).toString('base64'));
        const given = isCut ? pem.slice(0, -1) : pem;
        assert.equal(publicKeyFault(given), null);
        assert.equal(openPublicKey(given)?.asymmetricKeyType, 'ed25519');
      }),
      { numRuns: runs(100) },
    );
  });

  it('are refused where anything about them is damaged that keeps them from being opened', () => {
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string;
    fc.assert(
      fc.property(fc.nat(pem.length), fc.constantFrom('', 'A', '=', '\n', '-', ' ', 'é', '\r'), (at, by) => {
        const damaged = pem.slice(0, at) + by + pem.slice(at + 1);
        if (publicKeyFault(damaged) === null) assert.notEqual(openPublicKey(damaged), null, damaged);
      }),
      { numRuns: runs(300) },
    );
  });
});
