import { z } from 'zod';
import { catalogueSource } from './parts.ts';

/** ENDOFLIFE_DATE is the published address of the release data of endoflife.date. */
const ENDOFLIFE_DATE = 'https://endoflife.date/api/v1/products/full';

/** endOfLifeSettings are the settings of the release data of operating systems. */
export const endOfLifeSettings = z
  .strictObject({
    source: catalogueSource(
      ENDOFLIFE_DATE,
      '/etc/end-of-life/',
      'Source of the end of support of operating systems, read at the start and every 6 hours. It counts where the scanner says nothing. An address `https://…`, or a mirror as `file:///etc/end-of-life/NAME`. It holds the answer of the API of endoflife.date, or an object with a list of cycles for each product; either may be packed with gzip. `off` asks nobody, and release data that is kept stays in use',
    ),
  })
  .prefault({});
