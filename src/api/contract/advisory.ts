import { z } from 'zod';

/** advisorySchema is what scanners say of a vulnerability; absent fields are not known. */
export const advisorySchema = z.object({
  title: z.string().nullish().describe('What the scanner calls the vulnerability'),
  cvss: z
    .object({
      version: z.string().nullable().describe('Null where only a score is known'),
      score: z.number().min(0).max(10),
      vector: z.string().nullable(),
      source: z.string().describe('Who rated it, as `nvd`; empty where the scanner does not say'),
    })
    .nullish()
    .describe(
      'From the source of the severity, else NVD, else another source; the newest CVSS version available',
    ),
  url: z.string().nullish().describe('Its advisory, an https address; foreign text, as all of these'),
});

/** foundAtSchema is where in an image a package was found. */
export const foundAtSchema = z
  .object({
    target: z.string().nullable().describe('What the scanner looked through, as `Node.js`'),
    path: z.string().nullable(),
    layer: z
      .string()
      .nullable()
      .describe('Digest of the layer in the registry where the report has it, else of its content'),
  })
  .nullish()
  .describe('Where in the image the package is; absent where the report does not say');
