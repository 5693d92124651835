import { gate, unknown } from '../gate.ts';
import { signersOf, unlooked } from '../remedies.ts';
import { missingAttestation } from '../trusted.ts';

const BEGINS = 'attestation missing: ';

/** attestation refuses an image that lacks one of the attestations, each signed by one of its signers. */
export const attestation = gate({
  label: 'attestation',
  begins: [BEGINS],
  fields: ['spec.attestations'],
  title: 'attestation missing',
  help: 'An attestation under spec.attestations is missing or is signed by somebody else. Attach it in the build, or name who signs it.',
  judge: (rules, { facts }) => {
    if (rules.spec.attestations.length === 0) return null;
    if (facts.attestations === null) return unknown('attestations');
    const missing = missingAttestation(rules, facts);
    return missing === null ? null : BEGINS + missing;
  },
  remedy: ({ sentence, spec, search }) => {
    const type = sentence.slice(BEGINS.length);
    const wanted = spec?.attestations.find(({ predicateType }) => type.startsWith(predicateType));
    return unlooked(`attach an attestation of this type, signed by ${signersOf(wanted)}`, search);
  },
});
