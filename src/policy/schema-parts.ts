import * as z from 'zod/mini';
import { formatDuration, parseDuration } from '../base/index.ts';
import { about, field, refusing, WRONG, type Fault, type Field } from './field.ts';
import { durationHint, namespaceHint, registryHint } from './hints.ts';
import { publicKeyFault } from './public-key.ts';

/** text is a text of at least one character. Half a surrogate pair has no canonical form, so no revision could tell it. */
export const text = (description: string, max = 1024) =>
  field(
    () =>
      z.string().check(
        z.minLength(1),
        z.maxLength(max),
        z.refine(
          (value: string) => value.isWellFormed(),
          'contains half a surrogate pair, which is not a character',
        ),
        about(description),
      ),
    (value) => (isText(value, max) && value !== '' && value.isWellFormed() ? value : WRONG),
  );

/** list is a list that is empty by default. */
export const list = <S extends z.core.SomeType>(entry: Field<S>, description: string, max = 256) =>
  field(
    () => z._default(z.array(entry.schema).check(z.maxLength(max), about(description)), []),
    (value) => {
      if (value === undefined) return [];
      if (!Array.isArray(value) || value.length > max) return WRONG;
      const read: unknown[] = [];
      for (const one of value as readonly unknown[]) {
        const inner = one === undefined ? WRONG : entry.read(one);
        if (inner === WRONG) return WRONG;
        read.push(inner);
      }
      return read;
    },
  );

/** word is one of some words. */
export const word = <const T extends readonly string[]>(words: T, description: string) =>
  field(
    () => z.enum(words).check(about(description)),
    (value) => (words.includes(value as string) ? value : WRONG),
  );

/** choice is one of some words, the first of the given default. */
export const choice = <const T extends readonly string[]>(
  words: T,
  standard: T[number],
  description: string,
) => {
  const inner = word(words, description);
  return field(
    () => z._default(inner.schema, standard as never),
    (value) => (value === undefined ? standard : inner.read(value)),
  );
};

/** flag is a boolean that is false by default. */
export const flag = (description: string) =>
  field(
    () => z._default(z.boolean().check(about(description)), false),
    (value = false) => (typeof value === 'boolean' ? value : WRONG),
  );

/** always is one text that is always written. */
export const always = <const T extends string>(value: T, description: string) =>
  field(
    () => z.literal(value).check(about(description)),
    (given) => (given === value ? given : WRONG),
  );

/** level is a level of provenance. */
export const level = (description: string) =>
  field(
    () => z.int().check(z.minimum(0), z.maximum(3), about(description)),
    (value) => (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 3 ? value : WRONG),
  );

/** A text that a function of ours looks at. */
const judged = (
  faultOf: (value: string) => Fault | null,
  description: string,
  max: number,
  more: Readonly<Record<string, unknown>>,
) =>
  field(
    () => z.string().check(z.maxLength(max), refusing(faultOf), about(description, more)),
    (value) => (isText(value, max) && faultOf(value) === null ? value : WRONG),
  );

/** A text of a fixed form: the fault is told as found and allowed, with what to write instead where that can be guessed. */
const formed = (
  pattern: RegExp,
  message: string,
  hint: (value: string) => string | null,
  description: string,
  max: number,
) =>
  judged(
    (value) => (value.length > max || pattern.test(value) ? null : { message, hint: hint(value) }),
    description,
    max,
    { pattern: pattern.source },
  );

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const NOT_A_NAMESPACE =
  'is not a namespace name; allowed are at most 63 lowercase letters and digits, with - between them';

/** namespace is the name of a Kubernetes namespace. */
export const namespace = formed(
  NAMESPACE,
  NOT_A_NAMESPACE,
  namespaceHint,
  'Name of a Kubernetes namespace.',
  253,
);

/** namespaceFault says why a text cannot name a namespace, with the name that was meant where that can be guessed; null for one that can. */
export function namespaceFault(text: string): Fault | null {
  return NAMESPACE.test(text) ? null : { message: NOT_A_NAMESPACE, hint: namespaceHint(text) };
}

/** resourceName is the name of a Kubernetes object. */
export const resourceName = formed(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'is not a resource name; allowed are lowercase letters and digits, with - or . between them',
  namespaceHint,
  'Name of the policy. Policies are evaluated in the order of their names.',
  253,
);

/** registry is an entry of an allow-list. */
export const registry = formed(
  /^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(:[0-9]{1,5})?(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/,
  'is not a registry; allowed is host[/path], without scheme, tag, digest, wildcard or slash at the end',
  registryHint,
  'Registry host with an optional port and path, as `ghcr.io/acme`. It covers every path below it, matched on whole path segments.',
  255,
);

/** pem is a public key that can verify here. */
export const pem = judged(
  publicKeyFault,
  'PEM public key: ECDSA (P-256, P-384, P-521), Ed25519, or RSA of 2048 bits and more.',
  16_384,
  { pattern: '^\\s*-----BEGIN (RSA )?PUBLIC KEY-----[\\s\\S]+-----END (RSA )?PUBLIC KEY-----\\s*$' },
);

/** duration is a Go duration above zero; its shortest form is taken, so that one length has one spelling. */
export const duration = (description: string) =>
  field(
    () =>
      z.string().check(
        z.check((input) => {
          const ms = parseDuration(input.value);
          const fault = windowFault(ms);
          if (fault === null) input.value = formatDuration(ms as number);
          else {
            const hint = ms === null ? durationHint(input.value) : 'Leave the field out to declare no window';
            input.issues.push({ code: 'custom', input: input.value, message: fault, params: { hint } });
          }
        }),
        about(description, {
          pattern: '^(?=.*[1-9])\\+?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$',
          examples: ['24h', '168h'],
        }),
      ),
    (value) => {
      const ms = typeof value === 'string' ? parseDuration(value) : null;
      return ms === null || ms <= 0 ? WRONG : formatDuration(ms);
    },
  );

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max;
}

/** What is wrong with a duration in milliseconds as a window; null for a text that is not one. */
function windowFault(ms: number | null): string | null {
  if (ms === null)
    return 'is not a duration; write hours, minutes and seconds with their units, such as 168h or 1h30m';
  return ms <= 0 ? 'is not a valid window; it must be longer than 0s' : null;
}
