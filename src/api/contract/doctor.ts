import { z } from 'zod';
import { STATES } from '../../doctor/index.ts';

/** doctorSchema is what examining the service found. */
export const doctorSchema = z
  .object({
    version: z.string(),
    state: z.enum(STATES).describe('The worst of all checks'),
    checks: z.array(
      z.object({
        id: z.string().describe('Stable: `webhook.serving-certificate`'),
        subject: z.string(),
        state: z.enum(STATES),
        message: z.string(),
        hint: z.string().nullable().describe('What to do; null where the check is ok'),
      }),
    ),
    total: z.int().min(0),
  })
  .meta({ id: 'Doctor' });

/** DoctorBody is it as the API answers it. */
export type DoctorBody = z.infer<typeof doctorSchema>;
