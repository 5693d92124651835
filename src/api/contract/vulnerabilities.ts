import { z } from 'zod';
import { SEVERITIES } from '../../findings/index.ts';
import { VULNERABILITY_SORTS } from '../../inventory/index.ts';
import { advisorySchema } from './advisory.ts';
import { directionSchema, searchSchema } from './images.ts';
import { pageSchema } from './paging.ts';

const count = z.int().min(0);
const yes = (about: string) =>
  z.enum(['true', 'false'], { error: 'must be true or false' }).optional().describe(about);

/** vulnerabilitiesQuery narrows, orders and pages the list of vulnerabilities. */
export const vulnerabilitiesQuery = z.strictObject({
  severity: z
    .string()
    .regex(new RegExp(`^(${SEVERITIES.join('|')})(,(${SEVERITIES.join('|')}))*$`), {
      error: `severity must be one or more of ${SEVERITIES.join(', ')}, separated by commas`,
    })
    .optional()
    .describe('Of these severities, as `CRITICAL,HIGH`; that of a CVE is the highest that an image has'),
  known_exploited: yes('Whether it is known to be exploited; one of which nobody ever looked is neither'),
  fixable: yes('Whether a version repairs one of its findings'),
  triaged: yes('Whether triage decisions cover it on every image that has it'),
  image: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Found on this image: a digest, or a name as the list of images shows it'),
  namespace: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe('Found on an image that was seen in this namespace'),
  q: searchSchema.optional().describe('A part of its id or of the name of a package'),
  sort: z
    .enum(VULNERABILITY_SORTS, { error: `sort must be one of ${VULNERABILITY_SORTS.join(', ')}` })
    .optional()
    .describe('`severity` where it is left out'),
  order: directionSchema.optional().describe('Ids ascend and all else descends where it is left out'),
  ...pageSchema.shape,
});

/** vulnerabilitySchema is a CVE with the images that have it. */
export const vulnerabilitySchema = z
  .object({
    cve: z.string(),
    severity: z.enum(SEVERITIES).describe('The highest that an image has'),
    images: count.describe('Images that have it, of all images, whatever the filter'),
    sample: z
      .array(z.string())
      .describe('Digests of images that have it, those whose findings changed last; three at most'),
    packages: z
      .array(z.object({ name: z.string(), fixed: z.array(z.string()).describe('Versions that repair it') }))
      .describe('By name; twenty at most'),
    fixable: z.boolean(),
    known_exploited: z.boolean().nullable().describe('Null: never looked up'),
    triaged_images: count.describe('Images on which a triage decision covers it now'),
    ...advisorySchema.shape,
  })
  .meta({ id: 'Vulnerability' });

/** VulnerabilityBody is a vulnerability as the API answers it. */
export type VulnerabilityBody = z.infer<typeof vulnerabilitySchema>;
