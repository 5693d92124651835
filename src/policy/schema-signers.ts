import * as z from 'zod/mini';
import { about, field, mapping, optional, refusing, WRONG, type Fault, type Field } from './field.ts';
import { MAX_PATTERN, patternFault } from './pattern.ts';
import { list, pem, text } from './schema-parts.ts';

/** An RE2 pattern that whole texts match. */
const pattern = (description: string) => {
  const faultOf = (value: string): Fault | null => (value === '' ? null : patternFault(value));
  return field(
    () =>
      z.string().check(
        z.minLength(1),
        refusing(faultOf),
        about(`${description} RE2, and the whole text must match, as between ^ and $.`, {
          maxLength: MAX_PATTERN,
        }),
      ),
    (value) => (typeof value === 'string' && value !== '' && faultOf(value) === null ? value : WRONG),
  );
};

/** named are the fields by which a policy says who signed keyless: each is one text or a pattern of texts. */
export const named = {
  identityRegExp: optional(pattern('Pattern of keyless identities, in place of one identity.')),
  issuer: optional(text('OIDC issuer of the identity, matched exactly. Unset accepts any.')),
  issuerRegExp: optional(pattern('Pattern of OIDC issuers, in place of one issuer.')),
};

const ISSUERS = ['issuer', 'issuerRegExp'];

/**
 * signedBy is an entry that says in exactly one of some ways who signed, or in none where that has a meaning. It says the same in
 * words of JSON Schema. A key has no issuer, and an issuer is one text or one pattern.
 */
export const signedBy = <F extends Readonly<Record<string, Field>>>(
  ways: readonly string[],
  fields: F,
  description: string,
  none: 'refused' | 'allowed',
) => {
  const pairs = ways.flatMap((way, i) => ways.slice(i + 1).map((other) => [way, other]));
  const withKey = ways.includes('key') ? ISSUERS.map((issuer) => ['key', issuer]) : [];
  const never = [...(none === 'allowed' ? pairs : []), ISSUERS, ...withKey].map((required) => ({ required }));
  return mapping(fields, description, (entry) => faultOf(entry, ways, none), {
    ...(none === 'refused' && { oneOf: ways.map((way) => ({ required: [way] })) }),
    // A choice of one is none: readers of the schema complain about it.
    not: never.length === 1 ? never[0] : { anyOf: never },
  });
};

function faultOf(
  entry: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  none: 'refused' | 'allowed',
): Fault | null {
  const has = (field: string): boolean => entry[field] !== undefined;
  const found = fields.filter(has);
  const all = `${fields.slice(0, -1).join(', ')} and ${fields.at(-1) ?? ''}`;
  if (found.length > 1)
    return {
      message: `has ${found.map(withArticle).join(' and ')}; ${none === 'allowed' ? 'at most' : 'exactly'} one of ${all} is allowed`,
      hint: 'Make an entry of each, or take all but one out',
    };
  if (found.length === 0 && none === 'refused')
    return {
      message: `has neither ${fields.map(withArticle).join(' nor ')}; exactly one of them is needed`,
      hint: 'Name who signs by one of them',
    };
  if (found[0] === 'key' && ISSUERS.some(has))
    return {
      message: 'has an issuer beside a key; an issuer belongs to an identity',
      hint: 'Take the issuer out',
    };
  if (ISSUERS.every(has))
    return {
      message: 'has an issuer and an issuerRegExp; at most one of the two is allowed',
      hint: 'Take one of the two out',
    };
  return null;
}

function withArticle(field: string): string {
  return `${/^[aeiou]/.test(field) ? 'an' : 'a'} ${field}`;
}

const identity = signedBy(
  ['identity', 'identityRegExp'],
  {
    identity: optional(
      text(
        'Keyless identity as in the certificate, matched exactly: a workflow address or an e-mail address.',
      ),
    ),
    ...named,
  },
  'A keyless signer.',
  'refused',
);

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
