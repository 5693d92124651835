import { z } from 'zod';

const note = z
  .object({
    name: z.string().describe('Chart value, field or document'),
    note: z.string().describe('What to do'),
  })
  .meta({ id: 'ReleaseNote' });

const releaseSchema = z
  .object({
    version: z.string(),
    date: z.string().describe('The day of the release, such as `2026-10-15`'),
    substance: z.string().describe('What it changed'),
    migrations: z
      .object({ first: z.int().min(1), last: z.int().min(1) })
      .nullable()
      .describe('Numbers of the first and the last migration that it brings; null for none'),
    needs_chart_upgrade: z.boolean(),
    chart_reason: z.string().nullable().describe('Why the chart must be upgraded with it'),
    new_values: z.array(z.string()).describe('Chart values that it adds, all with defaults'),
    unread_values: z.array(note).describe('Chart values that it does not read any more'),
    repeated_values: z.array(note).describe('Lists of chart values that must be repeated whole'),
    cleared_values: z.array(note).describe('Chart values to clear where they were set by hand'),
    refused: z.array(note).describe('Fields and documents that the release rejects'),
    defect: z.string().nullable().describe('Why nobody should stay on it'),
  })
  .meta({ id: 'Release' });

/** releasesSchema is the catalogue of releases, the newest first. */
export const releasesSchema = z
  .object({ items: z.array(releaseSchema), total: z.int().min(0) })
  .meta({ id: 'Releases' });
