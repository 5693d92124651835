import { z } from 'zod';

const document = z.record(z.string(), z.unknown());

/** importBody is a configuration to be imported. */
export const importBody = z
  .strictObject({
    documents: z.array(z.unknown()).describe('The documents of the stream, in their order'),
    prune: z
      .boolean()
      .default(false)
      .describe('Also delete what it does not have, of the kinds in `spec.complete` of its Configuration'),
    dry_run: z.boolean().default(false).describe('Only compare'),
    difference: z
      .string()
      .max(64)
      .nullable()
      .default(null)
      .describe('Import only if the difference is still the one with this id'),
  })
  .meta({ id: 'ConfigurationImport' });

/** importedSchema is what became of a configuration. */
export const importedSchema = z
  .object({
    difference: z.string().describe('Id of the difference: equal for equal differences'),
    changed: z.int().min(0).describe('Objects that differ'),
    complete: z
      .boolean()
      .describe('False where a change of an object of the cluster failed; those before it are made'),
    items: z.array(
      z.object({
        kind: z.string(),
        name: z.string(),
        change: z.enum(['create', 'update', 'delete', 'unchanged']),
        outcome: z.enum(['unchanged', 'planned', 'applied', 'not_applied']),
        error: z.string().nullable(),
        before: document.nullable().describe('Null for a new object, and for one that is unchanged'),
        after: document.nullable().describe('Null for one that is deleted or unchanged'),
        notes: z.array(z.string()),
      }),
    ),
    total: z.int().min(0),
  })
  .meta({ id: 'ConfigurationImported' });

/** ImportedBody is it as the API answers it. */
export type ImportedBody = z.infer<typeof importedSchema>;
