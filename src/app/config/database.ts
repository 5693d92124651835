import { z } from 'zod';
import { secret, whole } from './parts.ts';

/** database is where the service keeps its rows, and whether it may begin without those that it had. */
export const database = z
  .strictObject({
    url: secret(
      'Database as `postgres://USER:PASSWORD@HOST:5432/NAME` or `sqlite:PATH`. Unset: `ipo.db` in the directory `data`',
    )
      .refine((url) => /^(?:sqlite:|postgres(?:ql)?:\/\/)./.test(url.reveal()), {
        error: 'must be postgres://USER@HOST:5432/NAME or sqlite:PATH',
      })
      .optional(),
    poolSize: whole(2, 200, 'Sessions of PostgreSQL that one replica opens at most').default(10),
    startEmpty: z.boolean().default(false).meta({
      description:
        'Start on this database although the directory `data` was last used with another one, whose ledger and accounts this one does not have. Nothing is emptied, moved or deleted: a new database begins an empty ledger, any other goes on with its own. After `ipo backup move` it is not needed',
    }),
  })
  .prefault({});
