import * as z from 'zod/mini';
import { about, choice, flag, list, pem, text } from './schema-parts.ts';
import { named, signedBy, signers, SOMEBODY_SIGNS } from './schema-signers.ts';

const level = (description: string) => z.int().check(z.minimum(0), z.maximum(3), about(description));

/** signature is who must have signed the image. */
export const signature = z
  .strictObject({ required: flag('Whether one of the signers must have signed the digest.'), ...signers })
  .check(
    z.check((input) => {
      const { required, keys, identities } = input.value;
      if (!required || keys.length > 0 || identities.length > 0) return;
      input.issues.push({
        code: 'custom',
        input: input.value,
        path: ['required'],
        message:
          'is true with neither keys nor identities, so that no image could pass; at least one signer is needed',
        params: { hint: 'Name who may sign under keys or identities, or set it to false' },
      });
    }),
    about('Who must have signed the image.', {
      if: { required: ['required'], properties: { required: { const: true } } },
      then: SOMEBODY_SIGNS,
    }),
  );

/** attestation is one that must be present, and by whom. */
export const attestation = z
  .strictObject({
    predicateType: text(
      'Predicate type of the in-toto statement, matched exactly, as `https://spdx.dev/Document`.',
    ),
    ...signers,
  })
  .check(
    z.check((input) => {
      if (input.value.keys.length > 0 || input.value.identities.length > 0) return;
      input.issues.push({
        code: 'custom',
        input: input.value,
        message:
          'names neither keys nor identities, so that no attestation could count; at least one signer is needed',
        params: { hint: 'Name who may sign under keys or identities' },
      });
    }),
    about('An attestation that must be present.', SOMEBODY_SIGNS),
  );

/** provenance is who must have built the image. */
export const provenance = z
  .strictObject({
    minLevel: z._default(level('Lowest SLSA build level that is accepted. 0 is off.'), 0),
    trustedBuilders: list(
      z
        .strictObject({
          id: text('Builder id as the provenance states it, matched exactly.'),
          level: level('SLSA build level that this builder is credited with.'),
          signer: z.optional(
            text(
              'Identity that must have signed the provenance. Where none of it, identityRegExp and key is set, it is the builder id.',
            ),
          ),
          ...named,
          key: z.optional(pem),
        })
        .check(
          ...signedBy(
            ['signer', 'identityRegExp', 'key'],
            'A builder, the level it is credited with, and who signs its provenance.',
            'allowed',
          ),
        ),
      'Builders whose provenance is accepted.',
      128,
    ),
  })
  .check(about('Who must have built the image.'));

const vexIssuer = z
  .strictObject({
    identity: z.optional(text('Keyless identity of the producer, matched exactly.')),
    ...named,
    key: z.optional(pem),
  })
  .check(
    ...signedBy(
      ['identity', 'identityRegExp', 'key'],
      'A producer: a keyless identity with an optional issuer, or a PEM key.',
      'refused',
    ),
  );

/** vex is whose statements take findings out. */
export const vex = z
  .strictObject({
    mode: choice(
      ['ignore', 'apply'],
      'ignore',
      'Whether trusted `not_affected` and `fixed` statements take findings out.',
    ),
    trustedIssuers: list(vexIssuer, 'Producers whose statements are believed.', 64),
  })
  .check(about('Statements of producers (VEX) on whether a CVE concerns the image.'));
