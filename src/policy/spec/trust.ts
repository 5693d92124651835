import { keyId } from '../public-key.ts';
import { compareReach } from '../reach.ts';
import { list } from '../schema-parts.ts';
import * as schemas from '../schema-trust.ts';
import type { Read } from '../field.ts';
import { orEmpty } from '../field.ts';
import type { Steps } from '../pattern-program.ts';
import { COVER_STEPS, coversSigner, type SignerName } from '../signer.ts';
import { specField } from './spec-field.ts';
import { admits, asks, equal, ladder, toward } from './strictness.ts';

type Signer = SignerName & { readonly key?: string | undefined };

/** Which signers hold which. One comparison may look into patterns for this many steps and no longer. */
const covering =
  (steps: Steps = { left: COVER_STEPS }) =>
  (entry: Signer, other: Signer): boolean =>
    entry.key === undefined || other.key === undefined
      ? entry.key === other.key && coversSigner(entry, other, steps)
      : keyId(entry.key) === keyId(other.key);

type Attestation = Read<typeof schemas.attestation>;

/** Whether an image with the one attestation always has the other: same predicate, no other signer accepted. */
function impliesAttestation(asked: Attestation, other: Attestation, steps: Steps): boolean {
  const keys = compareReach(other.keys.map(keyId), asked.keys.map(keyId), equal);
  const identities = compareReach(other.identities, asked.identities, covering(steps));
  return (
    asked.predicateType === other.predicateType &&
    [keys, identities].every((reach) => reach === 'same' || reach === 'narrower')
  );
}

type Builder = Read<typeof schemas.provenance>['trustedBuilders'][number];

/** Who must have signed the provenance of a builder: itself, where nothing is said. */
const signerOf = ({ id, signer, ...named }: Builder): Signer =>
  named.identityRegExp === undefined && named.key === undefined
    ? { ...named, identity: signer ?? id }
    : named;

/** trust says who must have signed, attested and built an image, and whose statements take findings out. */
export const trust = {
  signature: specField({
    schema: orEmpty(schemas.signature),
    starter: () => `

# Who must have signed the digest: PEM public keys, or identities with their issuer
# (or identityRegExp and issuerRegExp: RE2 patterns that must match the whole text).
signature:
  required: false
  keys: []
  identities: []`,
    directions: {
      required: ladder(({ required }) => required, [false, true]),
      keys: (before, after) =>
        before.required && after.required
          ? admits(compareReach(before.keys.map(keyId), after.keys.map(keyId), equal))
          : 'neither',
      identities: (before, after) =>
        before.required && after.required
          ? admits(compareReach(before.identities, after.identities, covering()))
          : 'neither',
    },
    denies: ({ required }) => required,
  }),
  attestations: specField({
    schema: list(
      schemas.attestation,
      'Attestations that must each be present and signed by one of their signers.',
      32,
    ),
    starter: () => `
# Attestations that must be there: predicateType, and keys or identities, one of which must have signed.
attestations: []`,
    directions: {
      // Each one asked for must be there, so the lists go the other way than those of who may sign.
      '': (before, after) => {
        const steps = { left: COVER_STEPS };
        return asks(compareReach(before, after, (entry, other) => impliesAttestation(entry, other, steps)));
      },
    },
    denies: (asked) => asked.length > 0,
  }),
  provenance: specField({
    schema: orEmpty(schemas.provenance),
    starter: () => `
# Lowest build level (0 is off), and the builders credited with one: id, level, signer, issuer,
# identityRegExp, issuerRegExp, or key.
provenance:
  minLevel: 0
  trustedBuilders: []`,
    directions: {
      minLevel: (before, after) => toward(after.minLevel - before.minLevel),
      trustedBuilders: (before, after) => {
        const { minLevel } = after;
        if (minLevel === 0 || before.minLevel === 0) return 'neither';
        const credited = ({ trustedBuilders }: typeof after): Builder[] =>
          trustedBuilders.filter(({ level }) => level >= minLevel);
        const covers = covering();
        return admits(
          compareReach(
            credited(before),
            credited(after),
            (entry, other) => entry.id === other.id && covers(signerOf(entry), signerOf(other)),
          ),
        );
      },
    },
    denies: ({ minLevel }) => minLevel > 0,
  }),
  vex: specField({
    schema: orEmpty(schemas.vex),
    starter: () => `
# apply: findings do not count if a statement of these producers says "not_affected" or "fixed".
vex:
  mode: ignore
  trustedIssuers: []`,
    directions: {
      mode: ladder(({ mode }) => mode, ['apply', 'ignore']),
      trustedIssuers: (before, after) =>
        before.mode === 'ignore' || after.mode === 'ignore'
          ? 'neither'
          : admits(compareReach(before.trustedIssuers, after.trustedIssuers, covering())),
    },
  }),
};
