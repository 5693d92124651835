import { z } from 'zod';
import { CISA_KEV, readKevSource } from '../catalogues/index.ts';

/** kevSettings are the settings of the catalogue of known exploited vulnerabilities. */
export const kevSettings = z
  .strictObject({
    source: z
      .string()
      .max(2048)
      .superRefine((text, context) => {
        const place = readKevSource(text);
        if ('fault' in place) context.addIssue({ code: 'custom', message: place.fault });
      })
      .default(CISA_KEV)
      .meta({
        description:
          'Where the catalogue of known exploited vulnerabilities comes from, asked at the start and every 6 hours: `https://…`, or a mirror as `file:///etc/kev/NAME`; either may be packed with gzip. `off` asks nobody, and a catalogue that is kept stays in use',
        format: 'https://…, file:///… or off',
      }),
  })
  .prefault({});
