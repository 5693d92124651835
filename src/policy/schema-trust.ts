import * as z from 'zod/mini';
import { field, mapping, optional, type Fault } from './field.ts';
import { choice, flag, level, list, pem, text } from './schema-parts.ts';
import { named, signedBy, signers, SOMEBODY_SIGNS } from './schema-signers.ts';

/** signature is who must have signed the image. */
export const signature = mapping(
  { required: flag('Whether one of the signers must have signed the digest.'), ...signers },
  'Who must have signed the image.',
  (value): Fault | null =>
    value['required'] !== true || namesSomebody(value)
      ? null
      : {
          path: ['required'],
          message:
            'is true with neither keys nor identities, so that no image could pass; at least one signer is needed',
          hint: 'Name who may sign under keys or identities, or set it to false',
        },
  {
    if: { required: ['required'], properties: { required: { const: true } } },
    then: SOMEBODY_SIGNS,
  },
);

/** attestation is one that must be present, and by whom. */
export const attestation = mapping(
  {
    predicateType: text(
      'Predicate type of the in-toto statement, matched exactly, as `https://spdx.dev/Document`.',
    ),
    ...signers,
  },
  'An attestation that must be present.',
  (value): Fault | null =>
    namesSomebody(value)
      ? null
      : {
          message:
            'names neither keys nor identities, so that no attestation could count; at least one signer is needed',
          hint: 'Name who may sign under keys or identities',
        },
  SOMEBODY_SIGNS,
);

function namesSomebody(value: Readonly<Record<string, unknown>>): boolean {
  const { keys, identities } = value as Readonly<Record<'keys' | 'identities', readonly unknown[]>>;
  return keys.length > 0 || identities.length > 0;
}

const minLevel = level('Lowest SLSA build level that is accepted. 0 is off.');

/** provenance is who must have built the image. */
export const provenance = mapping(
  {
    minLevel: field(
      () => z._default(minLevel.schema, 0),
      (value) => (value === undefined ? 0 : minLevel.read(value)),
    ),
    trustedBuilders: list(
      signedBy(
        ['signer', 'identityRegExp', 'key'],
        {
          id: text('Builder id as the provenance states it, matched exactly.'),
          level: level('SLSA build level that this builder is credited with.'),
          signer: optional(
            text(
              'Identity that must have signed the provenance. If signer, identityRegExp and key are all unset, the signer is the builder id.',
            ),
          ),
          ...named,
          key: optional(pem),
        },
        'A builder, the level it is credited with, and who signs its provenance.',
        'allowed',
      ),
      'Builders whose provenance is accepted.',
      128,
    ),
  },
  'Who must have built the image.',
);

const vexIssuer = signedBy(
  ['identity', 'identityRegExp', 'key'],
  {
    identity: optional(text('Keyless identity of the producer, matched exactly.')),
    ...named,
    key: optional(pem),
  },
  'A producer: a keyless identity with an optional issuer, or a PEM key.',
  'refused',
);

/** vex is whose statements take findings out. */
export const vex = mapping(
  {
    mode: choice(
      ['ignore', 'apply'],
      'ignore',
      'Whether findings count that a trusted statement calls `not_affected` or `fixed`: `ignore` counts them, `apply` does not.',
    ),
    trustedIssuers: list(vexIssuer, 'Producers whose statements are believed.', 64),
  },
  'Statements of producers (VEX) on whether a CVE concerns the image.',
);
