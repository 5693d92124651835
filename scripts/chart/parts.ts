import { z } from 'zod';
import { SELECTOR_OPERATORS } from '../../src/reconcile/index.ts';

/** about describes a value; the description stands in values.yaml, in the schema and in the README of the chart. */
export const about = (description: string) => ({ description });

/** group is values that belong together; none of them need be given. */
export const group = <T extends z.ZodRawShape>(description: string, shape: T) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .meta(about(description));

/** text is a text that may be empty, which is "not set" in a chart: `null` and `''` would otherwise be two ways to say it. */
export const text = (description: string, standard = '') =>
  z.string().max(4096).default(standard).meta(about(description));

/** name is the name of an object in the release's namespace, or empty. */
export const name = (description: string) =>
  z
    .string()
    .regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$/)
    .default('')
    .meta(about(description));

export const flag = (description: string, standard: boolean) =>
  z.boolean().default(standard).meta(about(description));

export const whole = (min: number, max: number, standard: number, description: string) =>
  z.int().min(min).max(max).default(standard).meta(about(description));

export const choice = <const T extends readonly [string, ...string[]]>(
  values: T,
  standard: T[number],
  description: string,
) =>
  z
    .enum(values)
    .default(standard as never)
    .meta(about(description));

/** duration is a Go duration; what it may be at least and at most the program says. */
export const duration = (standard: string, description: string) =>
  z
    .string()
    .regex(/^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/)
    .default(standard)
    .meta(about(description));

export const texts = (description: string, standard: string[] = []) =>
  z.array(z.string().min(1).max(4096)).default(standard).meta(about(description));

export const labels = (description: string) =>
  z.record(z.string(), z.string()).default({}).meta(about(description));

/** port is a port that the pods may listen on without a right. */
export const port = (description: string, standard: number) => whole(1024, 65_535, standard, description);

/** CIDR is a network, of IPv4 or IPv6. */
const cidr = z.string().regex(/^[0-9a-fA-F.:]+\/[0-9]{1,3}$/);
export const cidrs = (description: string) =>
  z.array(cidr).default(['0.0.0.0/0', '::/0']).meta(about(description));

/** asIs is an object of the Kubernetes API that goes into the manifest as it stands; the API server checks it. */
export const asIs = (description: string) =>
  z.record(z.string(), z.unknown()).default({}).meta(about(description));
export const listAsIs = (description: string) =>
  z.array(z.record(z.string(), z.unknown())).default([]).meta(about(description));

/** selector is which objects are meant by their labels, as Kubernetes writes it; nothing is all of them. */
export const selector = (description: string) =>
  group(description, {
    matchLabels: labels('Labels with their values'),
    matchExpressions: z
      .array(
        z.strictObject({
          key: z.string().min(1),
          operator: z.enum(SELECTOR_OPERATORS),
          values: z.array(z.string()).optional(),
        }),
      )
      .default([])
      .meta(about('Expressions with `key`, `operator` (In, NotIn, Exists, DoesNotExist) and `values`')),
  });

const keyOf = z.strictObject({
  name: z.string().min(1),
  key: z.string().min(1),
  optional: z.boolean().optional(),
});

/** environment are variables of the container, as Kubernetes writes them. */
export const environment = (description: string) =>
  z
    .array(
      z.strictObject({
        name: z.string().min(1),
        value: z.string().optional(),
        valueFrom: z
          .strictObject({ secretKeyRef: keyOf.optional(), configMapKeyRef: keyOf.optional() })
          .optional(),
      }),
    )
    .default([])
    .meta(about(description));
