import { z } from 'zod';
import { parseDuration, printable } from '../base/index.ts';
import { patternFault } from '../policy/index.ts';
import { PRIORITIES, parsePriority, type Priority } from './priority.ts';

/** MAX_COUNT and MAX_WINDOW bound a window, so that what is remembered of it is bounded. */
const MAX_COUNT = 1000;
/** MAX_RULES is how many rules there may be: each event is held against them. */
export const MAX_RULES = 500;
const DAY = 86_400_000;
const MAX_WINDOW = 7 * DAY;
const MAX_THROTTLE = 30 * DAY;
const MAX_LIST = 200;
const MAX_TEXT = 512;

const text = z.string().min(1).max(MAX_TEXT);
const list = z.array(text.describe('One of them.')).min(1).max(MAX_LIST);
const namespace = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'is not the name of a namespace')
  .describe('Name of a namespace.');

const priority = z.string().transform((value, context): Priority => {
  const found = parsePriority(value);
  if (found !== null) return found;
  context.addIssue({ code: 'custom', message: `is not a priority; allowed: ${PRIORITIES.join(', ')}` });
  return z.NEVER;
});

/** A field of an output is compared as text, so that a number may be written as one. */
const value = z.union([z.string().max(4096), z.number(), z.boolean()]).transform(String);

const field = z
  .strictObject({
    name: text.describe('Name of the output field, such as proc.name.'),
    equals: value.optional().describe('Its value as text.'),
    in: z
      .array(value.describe('One of its values.'))
      .min(1)
      .max(MAX_LIST)
      .optional()
      .describe('Any of these values.'),
    matches: z
      .string()
      .describe('RE2 pattern for the whole value.')
      .check((context) => {
        const fault = patternFault(context.value);
        if (fault !== null)
          context.issues.push({ code: 'custom', input: context.value, message: fault.message });
      })
      .optional(),
  })
  .refine(
    (one) => [one.equals, one.in, one.matches].filter((given) => given !== undefined).length === 1,
    'needs exactly one of equals, in and matches',
  )
  .describe('A field of the output, compared as text.');

/** runtimeMatch is which events are meant: of a list any entry, of `fields` all; what is absent asks nothing. */
export const runtimeMatch = z.strictObject({
  rules: list.optional().describe('Names of rules of the detector; any of them.'),
  tags: list.optional().describe('Tags of the rule of the detector; any of them.'),
  priority: priority
    .optional()
    .describe(
      'This priority or a more severe one: Emergency, Alert, Critical, Error, Warning, Notice, Informational, Debug.',
    ),
  sources: list.optional().describe('Sources of events, such as syscall or k8s_audit; any of them.'),
  fields: z.array(field).min(1).max(50).optional().describe('Output fields; all of them.'),
  lastVerdict: z
    .enum(['allowed', 'refused', 'none'])
    .optional()
    .describe('What the last admission review of the image said.'),
  signed: z
    .boolean()
    .optional()
    .describe(
      'Whether a signature of the image was verified: keyless, or with a key that an image policy names.',
    ),
  namespaces: z
    .array(namespace)
    .min(1)
    .max(MAX_LIST)
    .optional()
    .describe('Namespaces of the pod; any of them.'),
});

/** RuntimeMatch is one, read. */
export type RuntimeMatch = z.output<typeof runtimeMatch>;

function duration(least: number, most: number, words: string) {
  return z.string().refine((written) => {
    const ms = parseDuration(written);
    return ms !== null && Number.isInteger(ms) && ms >= least && ms <= most;
  }, `is not a duration ${words}, such as 5m or 1h`);
}

const window = z
  .strictObject({
    count: z.int().min(1).max(MAX_COUNT).describe('How many events.'),
    duration: duration(0, MAX_WINDOW, 'of at most 168h').describe('Within how long, such as 10m.'),
  })
  .refine(
    ({ count, duration: written }) => count === 1 || (parseDuration(written) ?? 0) > 0,
    'needs a duration above 0s for more than one event',
  );

/** ACTIONS are what a rule does with the events that it decides. */
export const ACTIONS = ['allow', 'record', 'notify'] as const;

const action = z.string().transform((written, context): (typeof ACTIONS)[number] => {
  const found = ACTIONS.find((one) => one === written);
  if (found !== undefined) return found;
  const message =
    written === 'block'
      ? 'action "block" is not supported since 1.3.1; use notify, or a RuntimePolicy that stops the pod'
      : `is ${JSON.stringify(printable(written, 40))}; allowed: ${ACTIONS.join(', ')}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** runtimeRule is a rule as it is written: in a file, and in bodies of the API. */
export const runtimeRule = z.strictObject({
  name: z
    .string()
    .regex(
      /^[\p{L}\p{N}](?:[\p{L}\p{N} ._:/()+-]{0,98}[\p{L}\p{N})!])?$/u,
      'is not a name of 1 to 100 letters',
    ),
  enabled: z.boolean().default(true),
  match: runtimeMatch.default({}),
  window: window.optional(),
  action,
  throttle: duration(0, MAX_THROTTLE, 'of at most 720h').optional(),
});

/** RuntimeRule is one, read. */
export type RuntimeRule = z.output<typeof runtimeRule>;

/** runtimePolicySpec is the `spec` of a RuntimePolicy. */
export const runtimePolicySpec = z.strictObject({
  targetNamespaces: z
    .array(namespace)
    .max(MAX_LIST)
    .default([])
    .describe('Namespaces that it governs; the whole cluster where there is none.'),
  match: runtimeMatch.default({}).describe('Which events it is about; absent: all that no rule allows.'),
  window: window
    .optional()
    .describe('It acts once this many events of one image came within this time; absent: at the first.'),
  enforcement: z
    .enum(['Audit', 'Enforce'])
    .default('Audit')
    .describe('`Audit` records what it would have stopped; `Enforce` stops.'),
  action: z.literal('stop').default('stop').describe('The pod is stopped.'),
  stopMode: z
    .enum(['immediate', 'graceful'])
    .default('immediate')
    .describe('`immediate`: one second of grace. `graceful`: the grace period of the pod.'),
});

const resourceName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'is not the name of a resource');

/** runtimePolicyDocument is a RuntimePolicy whole; what the API server writes into an object is left out. */
export const runtimePolicyDocument = z.strictObject({
  apiVersion: z.literal('ipo.dev/v1'),
  kind: z.literal('RuntimePolicy'),
  metadata: z.looseObject({ name: resourceName }),
  spec: runtimePolicySpec.describe('Which events stop a pod, and how.'),
  status: z.unknown().optional(),
});

/** runtimeRulesDocument is a file of rules, in the order in which they are asked. */
export const runtimeRulesDocument = z.strictObject({
  apiVersion: z.literal('ipo.dev/v1'),
  kind: z.literal('RuntimeRules'),
  rules: z.array(runtimeRule).max(MAX_RULES),
});

/** RuntimePolicy is a runtime policy, read. */
export interface RuntimePolicy {
  readonly name: string;
  readonly spec: z.output<typeof runtimePolicySpec>;
}
