import { z } from 'zod';
import { FRAMEWORK_IDS } from '../../evidence/index.ts';
import { path } from './parts.ts';

const text = (max: number, description: string) => z.string().min(1).max(max).meta({ description });

/** evidenceSettings say how long what evidence is made of is kept, and what packages say of whose they are. */
export const evidenceSettings = z
  .strictObject({
    retentionDays: z
      .int({ error: 'must be a whole number between 0 and 36500' })
      .min(0, { error: 'must be between 0 and 36500' })
      .max(36_500, { error: 'must be between 0 and 36500' })
      .default(400)
      .meta({
        description:
          'Days for which evidence packages are kept. Also for their sources, counted from when these ended: findings, scans, runs of images, days of a cluster. 0 keeps all',
      }),
    frameworks: z
      .array(z.enum(FRAMEWORK_IDS, { error: `must be one of ${FRAMEWORK_IDS.join(', ')}` }))
      .max(FRAMEWORK_IDS.length)
      .default([])
      .meta({
        description:
          'Frameworks that evidence packages are made for where a request names none (`ipo evidence frameworks` lists them); empty is all',
      }),
    keyFile: path(
      'PEM file with the ECDSA key on P-256 that signs evidence packages, mode 0600. Unset: `evidence-key.pem` in `data`. Made with the first start; once a package is signed, a missing one is an error. Put another there to change the key; each package reads it',
    ).optional(),
    organisation: text(200, 'Name of the organisation, as evidence packages print it').optional(),
    timestampUrl: z
      .url({ protocol: /^https?$/, error: 'must be an address such as https://tsa.example.com/tsr' })
      .max(2000)
      .meta({
        description:
          'Time stamp authority (RFC 3161) that stamps the signature of each package; unset: none. A package that cannot be stamped is not made',
        format: 'address',
      })
      .optional(),
    contact: text(200, 'Whom an auditor asks, as evidence packages print it').optional(),
  })
  .prefault({});
