import { z } from 'zod';
import { parseDuration } from '../../base/index.ts';
import { parseMirror } from '../../image/index.ts';
import { path } from './parts.ts';

const LEAST = 60_000;
const MOST = 31 * 24 * 3_600_000;

/** backupSettings say how often the service backs itself up, and where to. */
export const backupSettings = z
  .strictObject({
    schedule: z
      .string()
      .refine((text) => parseDuration(text) !== null, { error: 'must be a duration such as 24h' })
      .refine((text) => isWithin(parseDuration(text) ?? 0), { error: 'must be between 1m and 744h' })
      .meta({
        description:
          'How often the leader backs the database up, such as `24h`. Unset: never. Keys are not in these backups',
        format: 'duration, 1m to 744h',
      })
      .transform((text) => parseDuration(text) ?? 0)
      .optional(),
    directory: path(
      'Directory of the backups; mount one that is not on the disk of the database. Unset: `backups` in `data`',
    ).optional(),
    registry: z
      .string()
      .refine((text) => (parseMirror(text)?.prefix ?? '') !== '', {
        error: 'must be HOST/PATH, such as registry.example.com/backups/ipo',
      })
      .meta({
        description:
          'Repository of an OCI registry that backups are pushed to, instead of staying in the directory. It is reached as `registries` says; the credential must be able to push, and to delete for `keep`',
        format: 'HOST/PATH',
      })
      .optional(),
    keep: z
      .int({ error: 'must be a whole number between 1 and 1000' })
      .min(1, { error: 'must be between 1 and 1000' })
      .max(1000, { error: 'must be between 1 and 1000' })
      .default(7)
      .meta({ description: 'Backups that are kept; the oldest are deleted once a newer one is whole' }),
  })
  .prefault({});

function isWithin(ms: number): boolean {
  return ms >= LEAST && ms <= MOST;
}
