import { z } from 'zod';
import { readBaseUrl } from './base-url.ts';
import { defaultEvents } from './events.ts';
import {
  allowedTargets,
  dailyCap,
  flag,
  labels,
  password,
  said,
  secretText,
  shaped,
  subscriptions,
  text,
  webAddress,
} from './fields.ts';
import type { ChannelKind } from './kinds.ts';
import type { ChannelRules } from './rules.ts';

const ADDRESS = /^[^\s@:<>(),;"]{1,64}@[A-Za-z0-9.-]{1,190}$/;
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const STEP = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.-]+';
const REPO = new RegExp(`^${STEP}/(?!.*\\.git$)${STEP}$`);
const PROJECT = new RegExp(`^(?:[1-9]\\d{0,17}|${STEP}(?:/${STEP})+)$`);

const number = (what: string, pattern: RegExp) =>
  z
    .union([z.string(), z.int().min(0)], {
      error: ({ input }) => (input === undefined ? 'is missing' : `is no ${what}`),
    })
    .transform(String)
    .pipe(shaped(what, pattern, 255));

/** A credential that is left out, or null, stays as it is. */
const credential = secretText.nullish();

const head = <K extends ChannelKind>(kind: K) => ({
  kind: z.literal(kind),
  name: text('name of a channel', 100),
  enabled: flag(true),
  subscriptions: subscriptions(defaultEvents(kind)),
});

const tracker = { dailyCap, firstRunSummary: flag(true) };

/** What a tracker takes as a label: so long, and without what it reads as more than one. */
const plainLabel =
  (max: number, forbidden?: RegExp, what = '') =>
  (label: string): string | null => {
    if (label.length > max) return `has more than ${max} characters`;
    return forbidden?.test(label) === true
      ? `must not hold ${what}, which the tracker does not take in a label`
      : null;
  };

const address = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be an address'),
});

/** channelSchemas gives the schema of each kind's document under the rules of the process; what they do not know is refused. */
export function channelSchemas(rules: ChannelRules) {
  const baseUrl = (kind: 'github' | 'gitlab') =>
    address.transform((value, issues) =>
      said(readBaseUrl(value.trim(), { kind, hasEmail: false }, rules), issues),
    );
  const webhook = <K extends 'slack' | 'teams' | 'webhook'>(kind: K) =>
    z.strictObject({ ...head(kind), webhookUrl: webAddress(rules).optional() });
  return {
    github: z.strictObject({
      ...head('github'),
      apiBaseUrl: baseUrl('github'),
      token: credential,
      defaultRepo: shaped('repository as owner/name', REPO, 140),
      labels: labels(plainLabel(50)),
      ...tracker,
      allowedTargets,
    }),
    gitlab: z.strictObject({
      ...head('gitlab'),
      apiBaseUrl: baseUrl('gitlab'),
      token: credential,
      defaultProject: number('project as its whole path or its number', PROJECT),
      labels: labels(plainLabel(255, /,/, 'a comma')),
      ...tracker,
      allowedTargets,
    }),
    jira: z
      .strictObject({
        ...head('jira'),
        apiBaseUrl: address,
        email: shaped('e-mail address', ADDRESS, 254).nullish(),
        apiToken: credential,
        bearerToken: credential,
        projectKey: shaped('key of a project, such as SEC', /^[A-Z][A-Z0-9_]*$/, 255),
        issueType: text('issue type', 60).default('Task'),
        doneTransitionId: number('id of a transition, such as 31', /^\d{1,18}$/).nullish(),
        labels: labels(plainLabel(255, /\s/, 'blanks')),
        ...tracker,
      })
      .superRefine((value, issues) => {
        const fault = mechanismFault(value);
        if (fault !== null) issues.addIssue({ code: 'custom', ...fault, path: [...fault.path] });
      })
      .transform((value, issues) => {
        const hasEmail = typeof value.email === 'string';
        const read = readBaseUrl(value.apiBaseUrl.trim(), { kind: 'jira', hasEmail }, rules);
        return { ...value, apiBaseUrl: said(read, issues, ['apiBaseUrl']) };
      }),
    email: z.strictObject({
      ...head('email'),
      host: shaped('host name of a mail server', HOST, 253),
      port: z.int({ error: PORT }).min(1, { error: PORT }).max(65_535, { error: PORT }).default(587),
      security: z.enum(['starttls', 'tls'], { error: 'must be starttls or tls' }).default('starttls'),
      username: text('user name', 254).nullish(),
      password: password.nullish(),
      from: shaped('e-mail address', ADDRESS, 254),
      to: z
        .array(shaped('e-mail address', ADDRESS, 254), { error: 'must be a list of e-mail addresses' })
        .min(1, { error: 'is empty' })
        .max(100, { error: 'must have at most 100 addresses' }),
    }),
    slack: webhook('slack'),
    teams: webhook('teams'),
    webhook: webhook('webhook'),
  } as const;
}

const PORT = 'must be between 1 and 65535';

/** "Exactly one authentication mechanism is configured, never both." Which of the two a stored credential belongs to, `email` says. */
function mechanismFault(value: {
  readonly email?: string | null | undefined;
  readonly apiToken?: string | null | undefined;
  readonly bearerToken?: string | null | undefined;
}): { readonly message: string; readonly path: readonly string[] } | null {
  const has = (field: 'email' | 'apiToken' | 'bearerToken'): boolean => typeof value[field] === 'string';
  if (has('bearerToken') && (has('email') || has('apiToken'))) {
    return {
      message:
        'exactly one way to sign in is needed: email with apiToken (cloud), or bearerToken (Data Center); both are given',
      path: ['bearerToken'],
    };
  }
  if (has('apiToken') && !has('email')) {
    return { message: 'email is missing, which apiToken needs beside it', path: ['email'] };
  }
  return null;
}

/** ChannelSchemas are the schemas of the documents, by kind. */
export type ChannelSchemas = ReturnType<typeof channelSchemas>;

/** channelJsonSchema describes the documents of every kind, for the description of the API. */
export function channelJsonSchema(): Readonly<Record<string, unknown>> {
  const schemas = channelSchemas({ testLoopback: false, allowedHosts: [] });
  const oneOf = Object.values(schemas).map((schema: z.ZodType) => {
    const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    });
    return described;
  });
  return { oneOf };
}
