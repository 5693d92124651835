import * as z from 'zod/mini';

/** WRONG is what reading gives where the schema finds a fault, or might. */
export const WRONG = Symbol('wrong');

/**
 * Field is a part of the policy schema, written once and used in two ways. `schema` is made when it is first asked for: it
 * explains what is wrong with a value, and JSON Schema comes from it. `read` gives what the schema would make of a valid value,
 * and WRONG for any other. Building the schema takes longer than anything else that a short command does, and most policies
 * are valid.
 */
export interface Field<out S extends z.core.SomeType = z.core.SomeType> {
  readonly schema: S;
  read(value: unknown): unknown;
}

/** Read is what a field makes of a valid value. */
export type Read<F extends Field> = z.core.output<F['schema']>;

/** Fault says why a value is not allowed: a clause that follows the field's name, and what to do. */
export interface Fault {
  readonly message: string;
  readonly hint: string | null;
  /** Where in the value, if not the whole. */
  readonly path?: readonly string[];
}

/** field makes a field of the two. */
export function field<S extends z.core.SomeType>(make: () => S, read: (value: unknown) => unknown): Field<S> {
  let schema: S | null = null;
  return {
    get schema() {
      return (schema ??= withoutCompiling(make));
    },
    read,
  };
}

/** A run parses a handful of policies: compiling a parser for each mapping takes longer than parsing without. */
function withoutCompiling<T>(make: () => T): T {
  const before = z.config().jitless ?? false;
  z.config({ jitless: true });
  try {
    return make();
  } finally {
    z.config({ jitless: before });
  }
}

/** parseField parses a value: what zod's `safeParse` of the schema gives. */
export function parseField<F extends Field>(part: F, value: unknown): z.core.util.SafeParseResult<Read<F>> {
  const read = part.read(value);
  if (read !== WRONG) return { success: true, data: read as Read<F> };
  return z.safeParse(part.schema as z.core.$ZodType<Read<F>>, value);
}

/** about describes a field for editors; `more` are JSON Schema words that say what a check of ours says. */
export const about = (description: string, more: Readonly<Record<string, unknown>> = {}) =>
  z.meta({ description, ...more });

/** refusing makes zod's check of a function that says what is wrong with a value. */
export const refusing = <T>(faultOf: (value: T) => Fault | null) =>
  z.check<T>((input) => {
    const fault = faultOf(input.value);
    if (fault === null) return;
    const { message, hint, path } = fault;
    input.issues.push({
      code: 'custom',
      input: input.value,
      ...(path !== undefined && { path: [...path] }),
      message,
      params: { hint },
    });
  });

/** optional is a field that may be left out. */
export const optional = <S extends z.core.SomeType>(inner: Field<S>) =>
  field(
    () => z.optional(inner.schema),
    (value) => (value === undefined ? undefined : inner.read(value)),
  );

/** orEmpty is a mapping that takes its defaults where it is left out. */
export const orEmpty = <S extends z.core.SomeType>(inner: Field<S>) =>
  field(
    () => z.prefault(inner.schema, {} as never),
    (value) => inner.read(value === undefined ? {} : value),
  );

/** anything is a field whose value is not looked at. */
export const anything = (description: string) =>
  field(
    () => z.unknown().check(about(description)),
    (value) => value,
  );

type Schemas<F> = { [K in keyof F]: F[K] extends Field<infer S> ? S : never };

/** mapping has these fields and no others; `faultOf` looks at the whole once each of them is right. */
export const mapping = <F extends Readonly<Record<string, Field>>>(
  fields: F,
  description: string,
  faultOf: ((value: Readonly<Record<string, unknown>>) => Fault | null) | null = null,
  more: Readonly<Record<string, unknown>> = {},
) => {
  const entries = Object.entries(fields);
  return field(
    () => {
      const shape = Object.fromEntries(entries.map(([name, part]) => [name, part.schema]));
      const checks = faultOf === null ? [] : [refusing(faultOf)];
      return z.strictObject(shape as Schemas<F>).check(...checks, about(description, more));
    },
    (value) => {
      if (!isMapping(value)) return WRONG;
      const read: Record<string, unknown> = {};
      let found = 0;
      for (const [name, part] of entries) {
        const isThere = Object.hasOwn(value, name);
        if (isThere) found += 1;
        const given = isThere ? value[name] : undefined;
        const inner = isThere && given === undefined ? WRONG : part.read(given);
        if (inner === WRONG) return WRONG;
        if (inner !== undefined) read[name] = inner;
      }
      if (found !== Object.keys(value).length) return WRONG;
      return faultOf === null || faultOf(read) === null ? read : WRONG;
    },
  );
};

/** isMapping tells a mapping as a parser of JSON or YAML makes it. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
}
