import { anything, mapping, optional, type Field, type Read } from './field.ts';
import { metadata } from './schema-metadata.ts';
import { always } from './schema-parts.ts';
import { findings } from './spec/findings.ts';
import { people } from './spec/people.ts';
import { pods } from './spec/pods.ts';
import { references } from './spec/references.ts';
import { scope } from './spec/scope.ts';
import type { SpecField } from './spec/spec-field.ts';
import { trust } from './spec/trust.ts';
import { verdicts } from './spec/verdicts.ts';

export { THRESHOLDS } from './spec/findings.ts';

/** The fields of `spec`, in their order in a document. */
const SPEC = { ...scope, ...findings, ...references, ...trust, ...verdicts, ...pods, ...people };

type Schemas<F extends Readonly<Record<string, { readonly schema: Field }>>> = {
  readonly [K in keyof F]: F[K]['schema'];
};

/** policySpec is the strict schema of `spec`, with every default filled in. */
export const policySpec = mapping(
  Object.fromEntries(Object.entries(SPEC).map(([name, { schema }]) => [name, schema])) as Schemas<
    typeof SPEC
  >,
  'What the policy asks of an image.',
);

/** PolicySpec is a `spec` with every default filled in. */
export type PolicySpec = Read<typeof policySpec>;

/** SPEC_FIELDS are the fields of `spec` with all that is known of each, in their order in a document. */
export const SPEC_FIELDS = Object.entries(SPEC) as unknown as readonly (readonly [
  keyof PolicySpec,
  SpecField,
])[];

/**
 * oneStepStricter gives a spec in which each field that judges a scan is one step stricter; null where none has a step left. It only
 * tightens.
 */
export function oneStepStricter(spec: PolicySpec): PolicySpec | null {
  const stricter = SPEC_FIELDS.flatMap(([name, field]) => {
    const value = field.stricter?.(spec[name]) ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  return stricter.length === 0 ? null : { ...spec, ...Object.fromEntries(stricter) };
}

/** deniesBy tells whether the gate of a field of `spec` can deny an image, or the pod, under its value. */
export function deniesBy(spec: PolicySpec, name: string): boolean {
  const found = SPEC_FIELDS.find(([field]) => field === name);
  return found?.[1].denies?.(spec[found[0]]) === true;
}

/** policyDocument is the strict schema of a whole policy document. */
export const policyDocument = mapping(
  {
    apiVersion: always('ipo.dev/v1', 'Always `ipo.dev/v1`.'),
    kind: always('ImagePolicy', 'Always `ImagePolicy`.'),
    metadata,
    spec: policySpec,
    status: optional(anything('Written by the operator; ignored when read.')),
  },
  'A policy of the image-policy operator.',
);

/** PolicyDocument is a policy document with every default filled in. */
export type PolicyDocument = Read<typeof policyDocument>;
