import { z } from 'zod';
import { CISA_KEV } from '../../catalogues/index.ts';
import { catalogueSource } from './parts.ts';

/** kevSettings are the settings of the catalogue of known exploited vulnerabilities. */
export const kevSettings = z
  .strictObject({
    source: catalogueSource(
      CISA_KEV,
      '/etc/kev/',
      'Where the catalogue of known exploited vulnerabilities comes from, asked at the start and every 6 hours: `https://…`, or a mirror as `file:///etc/kev/NAME`; either may be packed with gzip. `off` asks nobody, and a catalogue that is kept stays in use',
    ),
  })
  .prefault({});
