import { z } from 'zod';

const time = z.iso.datetime().describe('RFC 3339, UTC');

/** catalogueRefreshQuery says what a refresh may take that it would refuse by itself. */
export const catalogueRefreshQuery = z.strictObject({
  accept_shrunk: z
    .enum(['true', 'false'], { error: 'accept_shrunk must be true or false' })
    .transform((value) => value === 'true')
    .optional()
    .describe('Takes a catalogue that has much fewer entries than the one that is kept'),
  accept_older: z
    .enum(['true', 'false'], { error: 'accept_older must be true or false' })
    .transform((value) => value === 'true')
    .optional()
    .describe('Takes a catalogue or a vulnerability database that is older than the one that is kept'),
});

/** cataloguesRefreshedSchema tells what came of asking each source. Times that are not known are left out. */
export const cataloguesRefreshedSchema = z
  .object({
    catalogues: z.array(
      z.object({
        name: z
          .enum(['kev', 'end_of_life', 'trivy_db'])
          .describe(
            '`kev`: known exploited vulnerabilities; `end_of_life`: when the support of operating systems ends; `trivy_db`: the vulnerability database of the scanner',
          ),
        outcome: z
          .enum(['updated', 'unchanged', 'failed', 'off', 'started'])
          .describe(
            '`failed`: the one that is kept stays in use; `off`: there is no source to ask; `started`: scans are under way, and it is done when they have ended',
          ),
        message: z.string().optional().describe('Why it failed'),
        hint: z.string().optional().describe('What to do about it'),
        version: z.string().optional(),
        entries: z.int().min(0).optional(),
        added: z.int().min(0).optional().describe('CVEs that came in'),
        removed: z.int().min(0).optional().describe('CVEs that went out'),
        changed: z.int().min(0).optional().describe('Releases that came in, went out or have other ends'),
        images: z.int().min(0).optional().describe('Images whose marks were updated'),
        updated_at: time.optional().describe('When the database was made'),
        fetched_at: time.optional(),
        checked_at: time.optional(),
      }),
    ),
  })
  .meta({ id: 'CataloguesRefreshed' });

/** CataloguesRefreshedBody is the answer of `POST /catalogues/refresh`. */
export type CataloguesRefreshedBody = z.infer<typeof cataloguesRefreshedSchema>;
