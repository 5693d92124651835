import { z } from 'zod';
import { whole } from './parts.ts';

/** callSettings bound what calls of the API may cost. */
export const callSettings = z
  .strictObject({
    readers: whole(
      1,
      16,
      'Threads that read long lists. From two on, one account never has all of them',
    ).default(2),
    perAccount: whole(
      1,
      1000,
      'Reads of long lists, and imports, of one account that may wait, run or be sent at one time. More wait for 2 s, then are answered with 429 and `Retry-After`',
    ).default(8),
    exportsPerAccount: whole(
      1,
      100,
      'Exports of one account that may be sent at one time. More wait for 2 s, then are answered with 429 and `Retry-After`',
    ).default(2),
  })
  .prefault({});
