import { $ZodArray, $ZodDefault, $ZodObject, $ZodOptional, $ZodPrefault, type $ZodType } from 'zod/v4/core';
import { policyDocument } from './schema.ts';

/** fieldsAt gives the names of the fields that the schema knows at a path of the policy document, in its order. */
export function fieldsAt(path: readonly PropertyKey[]): readonly string[] {
  let schema: $ZodType | undefined = policyDocument.schema;
  for (const step of path) {
    const inner: $ZodType | undefined = unwrap(schema);
    if (inner instanceof $ZodObject) {
      const { shape } = inner._zod.def;
      const name = String(step);
      schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    } else if (inner instanceof $ZodArray) schema = inner._zod.def.element;
    else return [];
  }
  const inner = unwrap(schema);
  return inner instanceof $ZodObject ? Object.keys(inner._zod.def.shape) : [];
}

/** allFields gives the paths of every field of the schema that is not in a list: `spec`, `spec.sla.critical`. */
export function allFields(path: readonly string[] = []): readonly (readonly string[])[] {
  return fieldsAt(path).flatMap((name) => {
    const field = [...path, name];
    return [field, ...allFields(field)];
  });
}

/** unwrap takes optional and defaulted schemas down to the schema of the value itself. */
function unwrap(schema: $ZodType | undefined): $ZodType | undefined {
  let inner = schema;
  while (inner instanceof $ZodOptional || inner instanceof $ZodDefault || inner instanceof $ZodPrefault) {
    inner = inner._zod.def.innerType;
  }
  return inner;
}
