import { z } from 'zod';
import { readApiUrl, readOutboundUrl, type FormFault, type Said } from './outbound-url.ts';
import type { ChannelRules } from './rules.ts';
import { isTargetGlob } from './targets.ts';

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** text is a line of at most this many characters, blanks at its ends left out. */
export const text = (what: string, max: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a text') })
    .transform((value) => value.trim())
    .refine((value) => value !== '', { error: 'is empty', abort: true })
    .refine((value) => value.length <= max, {
      error: `is not a valid ${what}: it has more than ${max} characters`,
      abort: true,
    })
    .refine((value) => !UNPRINTABLE.test(value), {
      error: `is not a valid ${what}: it has characters that nobody can see`,
    });

/** shaped is a text of one form. */
export const shaped = (what: string, pattern: RegExp, max: number) =>
  text(what, max).refine((value) => pattern.test(value), { error: `is not a valid ${what}` });

/** A step of a domain. */
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** ADDRESS is the form of an e-mail address. */
export const ADDRESS = new RegExp(`^[^\\s@:<>(),;"]{1,64}@(?=.{1,190}$)${LABEL}(?:\\.${LABEL})*$`);

/** STEP is the form of one step in the path of a repository, as a part of a pattern. */
export const STEP = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.-]+';

/** number is a text of one form, which may be written as a number. */
export const number = (what: string, pattern: RegExp) =>
  z
    .union([z.string(), z.int().min(0)], {
      error: ({ input }) => (input === undefined ? 'is missing' : `is not a valid ${what}`),
    })
    .transform(String)
    .pipe(shaped(what, pattern, 255));

/** A credential as it is entered; what it holds is never repeated. */
const secretText = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a text') })
  .transform((value) => value.trim())
  .refine((value) => /^[!-~]{1,4096}$/.test(value), {
    error: 'must be one line of 1 to 4096 letters, digits and marks of ASCII without blanks',
  });

/** credential is one that stays as it is where it is left out, or null. */
export const credential = secretText.nullish();

/** password is a secret that may hold any characters. */
export const password = z
  .string({ error: 'must be a text' })
  .min(1, { error: 'is empty' })
  .max(1024, { error: 'has more than 1024 characters' })
  .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), { error: 'has control characters' });

/** DAILY_CAP are the bounds and the default of the issues that a channel may open in any 24 hours. */
const DAILY_CAP = { least: 1, most: 500, standard: 20 } as const;

const CAP = `dailyCap must be between ${DAILY_CAP.least} and ${DAILY_CAP.most}; disable the channel to file nothing`;

/** dailyCap is 1 to 500, default 20. The value 0 is invalid: a channel that should file nothing is disabled instead. */
const dailyCap = z
  .int({ error: CAP })
  .min(DAILY_CAP.least, { error: CAP })
  .max(DAILY_CAP.most, { error: CAP })
  .default(DAILY_CAP.standard);

/** flag is yes or no. */
export const flag = (standard: boolean) => z.boolean({ error: 'must be true or false' }).default(standard);

/** trackerFields are those of every tracker. */
export const trackerFields = { dailyCap, firstRunSummary: flag(true) };

/** plainLabel is what a tracker takes as a label: so long, and without what it reads as more than one. */
export const plainLabel =
  (max: number, forbidden?: RegExp, what = '') =>
  (label: string): string | null => {
    if (label.length > max) return `has more than ${max} characters`;
    return forbidden?.test(label) === true
      ? `must not hold ${what}, which the tracker does not take in a label`
      : null;
  };

/** labels are put on every issue; each provider has its own rule for one. */
export const labels = (rule: (label: string) => string | null) =>
  z
    .array(
      text('label', 255).superRefine((label, issues) => {
        const fault = rule(label);
        if (fault !== null) issues.addIssue({ code: 'custom', message: fault });
      }),
      { error: 'must be a list of labels' },
    )
    .max(20, { error: 'must have at most 20 labels' })
    .refine((all) => new Set(all.map((label) => label.toLowerCase())).size === all.length, {
      error: 'has a label twice',
    })
    .default([]);

/** allowedTargets narrow where a label of an image may send an issue. */
export const allowedTargets = z
  .array(
    text('pattern', 255).refine(isTargetGlob, {
      error:
        'must be the path of a repository or project, in which * stands for a part of a step and ** for steps',
    }),
    { error: 'must be a list of patterns' },
  )
  .max(100, { error: 'must have at most 100 patterns' })
  .default([]);

/** said gives a reader's fault as one of the schema's, and its value as the field's. */
export function said<T>(read: Said<T>, issues: z.RefinementCtx, path: readonly string[] = []): T {
  if ('value' in read) return read.value;
  issues.addIssue({ code: 'custom', message: read.fault, path: [...path] });
  return z.NEVER;
}

/** address is one that is read with what stands beside it. */
export const address = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be an address'),
});

/** apiAddress is the address of a tracker. */
export const apiAddress = (formFault: FormFault, rules: ChannelRules) =>
  address.transform((value, issues) => said(readApiUrl(value.trim(), formFault, rules), issues));

/** webAddress is where a chat or a webhook takes messages. It may be a secret, so it is never repeated. */
export const webAddress = (rules: ChannelRules) =>
  address.transform((value, issues) => {
    // Some services give their addresses with the port that https has anyway.
    const written = value.trim().replace(/^(https:\/\/[^/?#]+):443(?=[/?#]|$)/i, '$1');
    const read = readOutboundUrl(written, rules);
    return said('value' in read ? { value: read.value.href } : read, issues);
  });
