import { z } from 'zod';

/** admissionDefaultsSchema is what the installation decides by where a policy does not say. */
export const admissionDefaultsSchema = z
  .object({
    cold_image_policy: z
      .enum(['AllowAndScan', 'DenyUntilScanned'])
      .describe('Decision on images without a scan record, for policies without `admissionTiming`'),
  })
  .meta({ id: 'AdmissionDefaults' });

/** AdmissionDefaultsBody is an answer of it. */
export type AdmissionDefaultsBody = z.infer<typeof admissionDefaultsSchema>;
