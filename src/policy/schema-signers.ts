import * as z from 'zod/mini';
import { MAX_PATTERN, patternFault } from './pattern.ts';
import { about, list, pem, text } from './schema-parts.ts';

/** An RE2 pattern that whole texts match. */
const pattern = (description: string) =>
  z.string().check(
    z.minLength(1),
    z.check((input) => {
      const fault = input.value === '' ? null : patternFault(input.value);
      if (fault === null) return;
      const { message, hint } = fault;
      input.issues.push({ code: 'custom', input: input.value, message, params: { hint } });
    }),
    about(`${description} RE2, and the whole text must match, as between ^ and $.`, {
      maxLength: MAX_PATTERN,
    }),
  );

/** named are the fields by which a policy says who signed keyless: each is one text or a pattern of texts. */
export const named = {
  identityRegExp: z.optional(pattern('Pattern of keyless identities, in place of one.')),
  issuer: z.optional(text('OIDC issuer of the identity, matched exactly. Unset accepts any.')),
  issuerRegExp: z.optional(pattern('Pattern of OIDC issuers, in place of one.')),
};

const ISSUERS = ['issuer', 'issuerRegExp'];

/**
 * signedBy checks that an entry says in exactly one of some ways who signed, or in none where that has a meaning, and says the same in
 * words of JSON Schema. A key has no issuer, and an issuer is one text or one pattern.
 */
export function signedBy(fields: readonly string[], description: string, none: 'refused' | 'allowed') {
  const pairs = fields.flatMap((field, i) => fields.slice(i + 1).map((other) => [field, other]));
  const withKey = fields.includes('key') ? ISSUERS.map((issuer) => ['key', issuer]) : [];
  const never = [...(none === 'allowed' ? pairs : []), ISSUERS, ...withKey].map((required) => ({ required }));
  return [
    z.check<Readonly<Record<string, unknown>>>((input) => {
      const fault = faultOf(input.value, fields, none);
      if (fault === null) return;
      const [message, hint] = fault;
      input.issues.push({ code: 'custom', input: input.value, message, params: { hint } });
    }),
    about(description, {
      ...(none === 'refused' && { oneOf: fields.map((field) => ({ required: [field] })) }),
      // A choice of one is none: readers of the schema complain about it.
      not: never.length === 1 ? never[0] : { anyOf: never },
    }),
  ] as const;
}

function faultOf(
  entry: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  none: 'refused' | 'allowed',
): readonly [message: string, hint: string] | null {
  const has = (field: string): boolean => entry[field] !== undefined;
  const found = fields.filter(has);
  const all = `${fields.slice(0, -1).join(', ')} and ${fields.at(-1) ?? ''}`;
  if (found.length > 1)
    return [
      `has ${found.map(withArticle).join(' and ')}; ${none === 'allowed' ? 'at most' : 'exactly'} one of ${all} is allowed`,
      'Make an entry of each, or take all but one out',
    ];
  if (found.length === 0 && none === 'refused')
    return [
      `has neither ${fields.map(withArticle).join(' nor ')}; exactly one of them is needed`,
      'Name who signs by one of them',
    ];
  if (found[0] === 'key' && ISSUERS.some(has))
    return ['has an issuer beside a key; an issuer belongs to an identity', 'Take the issuer out'];
  if (ISSUERS.every(has))
    return [
      'has an issuer and an issuerRegExp; at most one of the two is allowed',
      'Take one of the two out',
    ];
  return null;
}

function withArticle(field: string): string {
  return `${/^[aeiou]/.test(field) ? 'an' : 'a'} ${field}`;
}

const identity = z
  .strictObject({
    identity: z.optional(
      text(
        'Keyless identity as in the certificate, matched exactly: a workflow address or an e-mail address.',
      ),
    ),
    ...named,
  })
  .check(...signedBy(['identity', 'identityRegExp'], 'A keyless signer.', 'refused'));

/** signers are the two lists of those who may sign; one entry of either is enough. */
export const signers = {
  keys: list(pem, 'Public keys; one of them, or one of the identities, must have signed.', 32),
  identities: list(identity, 'Keyless identities; one of them, or one of the keys, must have signed.', 64),
};

/** SOMEBODY_SIGNS says in JSON Schema that one of the two lists has an entry. */
export const SOMEBODY_SIGNS = {
  anyOf: [
    { required: ['keys'], properties: { keys: { minItems: 1 } } },
    { required: ['identities'], properties: { identities: { minItems: 1 } } },
  ],
};
