import { gate, unknown } from '../gate.ts';
import { signersOf, unlooked } from '../remedies.ts';
import { isSigned } from '../trusted.ts';

/** signature refuses an image whose digest none of the policy's keys or identities signed. */
export const signature = gate({
  label: 'signature',
  begins: ['signature not verified: '],
  fields: ['spec.signature.required', 'spec.signature.keys', 'spec.signature.identities'],
  title: 'signature not verified',
  help: 'None of the signers under spec.signature signed the digest. Sign the image, or name the key or identity that did.',
  judge: (rules, { facts, reference }) => {
    if (!rules.spec.signature.required) return null;
    if (facts.signatures === null) return unknown('signatures');
    return isSigned(rules, facts) ? null : `signature not verified: ${reference.text}`;
  },
  remedy: ({ spec, search }) => unlooked(`have it signed by ${signersOf(spec?.signature)}`, search),
});
