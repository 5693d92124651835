import { z } from 'zod';
import { digestSchema, severityCountsSchema } from './images.ts';

/** scanReportSchema is what a scanner wrote; its reader checks it, so that its sentences are told. */
export const scanReportSchema = z
  .unknown()
  .refine((value) => value !== null && typeof value === 'object', {
    error: 'must be a report: a JSON object',
  })
  .meta({
    id: 'ScanReport',
    type: 'object',
    description:
      'A report of `trivy image --format json` (schema version 2), a VulnerabilityReport of trivy-operator, or a list of those',
  });

/** scansQuery says which image a report is about, where it does not say itself. */
export const scansQuery = z.strictObject({
  digest: digestSchema.max(200).optional(),
  image: z
    .string()
    .min(1)
    .max(1200)
    .optional()
    .describe('A reference, with the digest or as another name of the image'),
  db_updated_at: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe(
      'RFC 3339: when the database of the scanner was made, where the report does not say it. Not later than the scan',
    ),
});

/** importedScanSchema tells what became of a report for one digest. */
const importedScanSchema = z
  .object({
    digest: z.string(),
    image: z.string(),
    names: z.array(z.string()),
    scanned_at: z.string().nullable().describe('RFC 3339, UTC'),
    db_updated_at: z
      .string()
      .nullable()
      .describe(
        'RFC 3339, UTC: when the database of the scanner was made. Null: it is not known, so a finding that the report lacks is not taken for fixed',
      ),
    os: z.object({ family: z.string(), name: z.string() }).nullable(),
    end_of_life: z
      .boolean()
      .nullable()
      .describe('Whether the support of the system has ended; null: no system was recognised'),
    findings: severityCountsSchema
      .nullable()
      .describe('Null: the report holds no result of packages, so it is not a clean one'),
    outcome: z
      .enum(['current', 'older', 'incomplete', 'other_platform'])
      .nullable()
      .describe(
        'In use from now on; older than the scan in use, or made by the same scanner with an older database, so that that one stays; without a result; or of an index, and of a platform that no node has, or of none that it says. Null: nothing was recorded',
      ),
    replaced: z.boolean().describe('Whether another scan was in use before'),
  })
  .meta({ id: 'ImportedScan' });

/** importedScansSchema is the answer of an import. */
export const importedScansSchema = z
  .object({ scans: z.array(importedScanSchema) })
  .meta({ id: 'ImportedScans' });

/** ImportedScansBody is the answer of `POST /scans`. */
export type ImportedScansBody = z.infer<typeof importedScansSchema>;
