import { z } from 'zod';
import { runtimePolicyDocument } from './schema.ts';

/** runtimePolicyJsonSchema gives the JSON Schema (draft 2020-12) of a RuntimePolicy as it is written. */
export function runtimePolicyJsonSchema(): Readonly<Record<string, unknown>> {
  const { status: _, ...properties } = runtimePolicyDocument.shape;
  return z.toJSONSchema(z.strictObject(properties), {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
}
