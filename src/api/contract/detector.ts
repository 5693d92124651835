import { z } from 'zod';

const time = z.iso.datetime();

/** detectorSchema is how the listener of the runtime detector stands. */
export const detectorSchema = z
  .object({
    enabled: z.boolean(),
    port: z.int().nullable().describe('Where this replica listens; null while it does not'),
    fault: z.string().nullable().describe('Why it does not listen'),
    last_event_at: time
      .nullable()
      .describe('When this replica kept an event last; null for none since its start'),
    certificate: z
      .object({
        ends_at: time,
        renews_at: time.describe('When the next certificate is made; from then on both are accepted'),
        previous_ends_at: time.nullable().describe('Until when the one before it is accepted'),
        message: z.string().nullable().describe('What is to be done, or comes soon'),
      })
      .nullable(),
  })
  .meta({ id: 'RuntimeDetector' });

/** DetectorBody is how it stands as the API answers it. */
export type DetectorBody = z.infer<typeof detectorSchema>;

/** bundleSchema are the three files by which the detector is accepted. */
export const bundleSchema = z
  .object({
    'ca.crt': z.string().describe('Authority of the listener’s certificate, as PEM'),
    'client.crt': z.string().describe('Certificate of the detector, as PEM'),
    'client.key': z.string().describe('Its private key, as PEM'),
    ends_at: time.describe('When the certificate ends'),
  })
  .meta({ id: 'RuntimeDetectorBundle' });

/** BundleBody are the three files. */
export type BundleBody = z.infer<typeof bundleSchema>;
