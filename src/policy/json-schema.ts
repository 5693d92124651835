import * as z from 'zod/mini';
import { policyDocument } from './schema.ts';

/** SCHEMA_ID names the JSON Schema of a policy; editors take it as a name, nothing is fetched. */
export const SCHEMA_ID = 'https://ipo.dev/v1/image-policy.schema.json';

/**
 * policyJsonSchema gives the JSON Schema (draft 2020-12) of a policy as it is written: defaults are told and need
 * not be written. It comes from the schema that validates; what a check of ours asks stands in it as a pattern or
 * a combination, where JSON Schema can say it.
 */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(policyDocument.schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return { $schema, $id: SCHEMA_ID, title: 'ImagePolicy', ...schema };
}
