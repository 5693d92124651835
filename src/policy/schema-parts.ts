import * as z from 'zod/mini';
import { formatDuration, parseDuration } from '../base/index.ts';
import { publicKeyFault } from './public-key.ts';
import { durationHint, namespaceHint, registryHint } from './hints.ts';

// A run parses a handful of policies: compiling a parser for each mapping takes longer than parsing without.
z.config({ jitless: true });

/** about describes a field for editors; `more` are JSON Schema words that say what a check of ours says. */
export const about = (description: string, more: Readonly<Record<string, unknown>> = {}) =>
  z.meta({ description, ...more });

/** text is a text of at least one character. Half a surrogate pair has no canonical form, so no revision could tell it. */
export const text = (description: string, max = 1024) =>
  z.string().check(
    z.minLength(1),
    z.maxLength(max),
    z.refine((value: string) => value.isWellFormed(), 'holds half a surrogate pair, which is no character'),
    about(description),
  );

/** list is a list that is empty by default. */
export const list = <T extends z.core.SomeType>(entry: T, description: string, max = 256) =>
  z._default(z.array(entry).check(z.maxLength(max), about(description)), []);

/** choice is one of some words, the first of the given default. */
export const choice = <const T extends readonly string[]>(
  words: T,
  standard: T[number],
  description: string,
) => z._default(z.enum(words).check(about(description)), standard as never);

/** flag is a boolean that is false by default. */
export const flag = (description: string) => z._default(z.boolean().check(about(description)), false);

/** A text of a fixed form: the fault is told as found and allowed, with what to write instead where that can be guessed. */
const formed = (
  pattern: RegExp,
  fault: string,
  hint: (value: string) => string | null,
  description: string,
  max: number,
) =>
  z.string().check(
    z.maxLength(max),
    z.check((input) => {
      if (input.value.length > max || pattern.test(input.value)) return;
      input.issues.push({
        code: 'custom',
        input: input.value,
        message: fault,
        params: { hint: hint(input.value) },
      });
    }),
    about(description, { pattern: pattern.source }),
  );

/** namespace is the name of a Kubernetes namespace. */
export const namespace = formed(
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  'is not a namespace name; allowed are lowercase letters, digits and - inside, at most 63',
  namespaceHint,
  'Name of a Kubernetes namespace.',
  253,
);

/** resourceName is the name of a Kubernetes object. */
export const resourceName = formed(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'is not a resource name; allowed are lowercase letters, digits, and - and . inside',
  namespaceHint,
  'Name of the policy. Policies are evaluated in the order of their names.',
  253,
);

/** registry is an entry of an allow-list. */
export const registry = formed(
  /^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(:[0-9]{1,5})?(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/,
  'is not a registry; allowed is host[/path], without scheme, tag, digest, wildcard or slash at the end',
  registryHint,
  'Registry host with an optional port and path, as `ghcr.io/acme`. It covers what stands under it on whole path segments.',
  255,
);

/** pem is a public key that can verify here. */
export const pem = z.string().check(
  z.maxLength(16_384),
  z.check((input) => {
    const fault = publicKeyFault(input.value);
    if (fault !== null) {
      input.issues.push({
        code: 'custom',
        input: input.value,
        message: fault.message,
        params: { hint: fault.hint },
      });
    }
  }),
  about('PEM public key: ECDSA (P-256, P-384, P-521), Ed25519, or RSA of 2048 bits and more.', {
    pattern: '^\\s*-----BEGIN (RSA )?PUBLIC KEY-----[\\s\\S]+-----END (RSA )?PUBLIC KEY-----\\s*$',
  }),
);

/** duration is a Go duration above zero; its shortest form is taken, so that one length has one spelling. */
export const duration = (description: string) =>
  z.string().check(
    z.check((input) => {
      const ms = parseDuration(input.value);
      const fault =
        ms === null
          ? 'is not a duration; allowed are hours, minutes and seconds with their unit, as 168h or 1h30m'
          : ms <= 0
            ? 'is no window; it must be longer than 0s'
            : null;
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
  );
