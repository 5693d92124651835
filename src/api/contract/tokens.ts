import { z } from 'zod';
import { MAX_NAME, MAX_TOKEN_DAYS, TOKEN_DAYS, TOKEN_STATES } from '../../accounts/index.ts';
import { nameSchema, roleSchema } from './accounts.ts';
import { listOf, pageSchema } from './paging.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');

/** tokenSchema is an API token without its secret. */
const tokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: roleSchema.describe('The most that it may do; never more than its account may now'),
    state: z.enum(TOKEN_STATES),
    account: z.object({ id: z.string(), name: z.string() }),
    created_at: time,
    expires_at: time,
    used_at: time.nullable().describe('Last use, to the minute'),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'Token' });

/** TokenBody is an API token as the API answers it. */
export type TokenBody = z.infer<typeof tokenSchema>;

/** createdTokenSchema is a new token with its secret. */
export const createdTokenSchema = tokenSchema
  .extend({ token: z.string().describe('The secret; it is shown only once') })
  .meta({ id: 'CreatedToken' });

/** CreatedTokenBody is a new token with its secret. */
export type CreatedTokenBody = z.infer<typeof createdTokenSchema>;

/** newTokenBody is the token that is wanted. */
export const newTokenBody = z
  .strictObject({
    name: nameSchema.describe(`What it is for, 1 to ${MAX_NAME} characters`),
    role: roleSchema.optional().describe('No higher than your own; `viewer` where it is left out'),
    days: z
      .int({ error: 'must be a whole number' })
      .optional()
      .describe(`Days until it ends, 1 to ${MAX_TOKEN_DAYS}; ${TOKEN_DAYS} where it is left out`),
  })
  .meta({ id: 'NewToken' });

/** tokensQuery pages the list of tokens. */
export const tokensQuery = z.strictObject({
  all: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .optional()
    .describe('Those of everybody, for administrators; else your own'),
  ...pageSchema.shape,
});

/** tokensSchema is the list of tokens. */
export const tokensSchema = listOf(tokenSchema).meta({ id: 'Tokens' });

/** TokensBody is the list of tokens. */
export type TokensBody = z.infer<typeof tokensSchema>;

/** tokenPath is the parameter of a token's path. */
export const tokenPath = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z2-7]{16}$/, { error: 'is not the ID of a token' })
    .describe('Id of the token'),
});
