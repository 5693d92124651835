import { z } from 'zod';

/** evidenceSettings say how long what evidence is made of is kept. */
export const evidenceSettings = z
  .strictObject({
    retentionDays: z
      .int({ error: 'must be a whole number between 0 and 36500' })
      .min(0, { error: 'must be between 0 and 36500' })
      .max(36_500, { error: 'must be between 0 and 36500' })
      .default(400)
      .meta({
        description:
          'Days for which the history that evidence is made of is kept once it ended: findings, scans, runs of images, the days of each cluster. 0 keeps all',
      }),
  })
  .prefault({});
