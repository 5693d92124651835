import { z } from 'zod';
import {
  ACCOUNT_STATES,
  ERASURES,
  MAX_EMAIL,
  MAX_NAME,
  MAX_PASSWORD,
  MIN_PASSWORD,
  ROLES,
} from '../../accounts/index.ts';
import { listOf, pageSchema } from './paging.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');

/** roleSchema is a role; each may what those before it may. */
export const roleSchema = z.enum(ROLES, { error: `role must be one of ${ROLES.join(', ')}` });

/** emailSchema, nameSchema and passwordSchema bound what is sent; the domain says what is wrong with them. */
export const emailSchema = z.string().max(MAX_EMAIL * 2, { error: 'is not a valid e-mail address' });
export const nameSchema = z
  .string()
  .max(MAX_NAME * 8, { error: `has more than ${MAX_NAME} characters` })
  .describe(`1 to ${MAX_NAME} characters`);
export const passwordSchema = z
  .string()
  .max(MAX_PASSWORD * 4, { error: `has more than ${MAX_PASSWORD} characters` })
  .describe(`${MIN_PASSWORD} to ${MAX_PASSWORD} characters`);

/** accountSchema is an account. */
export const accountSchema = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe('Null once anonymised'),
    name: z.string().nullable(),
    avatar: z.string().nullable().describe('HTTPS address of a picture'),
    role: roleSchema,
    state: z.enum(ACCOUNT_STATES),
    has_password: z.boolean(),
    has_identity: z.boolean().describe('Whether it is linked to the identity provider'),
    created_at: time,
    disabled_at: time.nullable(),
  })
  .meta({ id: 'Account' });

/** AccountBody is an account as the API answers it. */
export type AccountBody = z.infer<typeof accountSchema>;

/** codeSchema is a one-time code that sets a password. */
export const codeSchema = z
  .object({
    code: z.string().describe('For `POST /session/password`; it is shown only once'),
    expires_at: time,
  })
  .meta({ id: 'PasswordCode' });

/** CodeBody is a one-time code. */
export type CodeBody = z.infer<typeof codeSchema>;

/** createdAccountSchema is a new account, with the code of who was invited. */
export const createdAccountSchema = z
  .object({ account: accountSchema, password_code: codeSchema.nullable() })
  .meta({ id: 'CreatedAccount' });

/** CreatedAccountBody is a new account. */
export type CreatedAccountBody = z.infer<typeof createdAccountSchema>;

/** updatedAccountSchema is an account as it is after a change, with the code of one that was enabled. */
export const updatedAccountSchema = accountSchema
  .extend({
    password_code: codeSchema.nullable().describe('Where the account was enabled without a password'),
  })
  .meta({ id: 'UpdatedAccount' });

/** UpdatedAccountBody is an account after a change. */
export type UpdatedAccountBody = z.infer<typeof updatedAccountSchema>;

/** anonymisedAccountSchema is what is left of an account, and how far its name is out of the files of the database. */
export const anonymisedAccountSchema = accountSchema
  .extend({
    erasure: z
      .enum(ERASURES)
      .describe(
        '`done`: no byte of the name is left in the files of the database. `pending`: a long read still holds its log; the service ' +
          'goes on trying every 5 seconds, and this call again says how it stands. `server`: the files are the database server’s, whose ' +
          'vacuum and archives decide when old bytes go',
      ),
  })
  .meta({ id: 'AnonymisedAccount' });

/** AnonymisedAccountBody is what is left of an account. */
export type AnonymisedAccountBody = z.infer<typeof anonymisedAccountSchema>;

/** accountsQuery narrows and pages the list of accounts. */
export const accountsQuery = z.strictObject({
  role: roleSchema.optional().describe('Accounts of this role'),
  state: z
    .enum(ACCOUNT_STATES, { error: `state must be one of ${ACCOUNT_STATES.join(', ')}` })
    .optional()
    .describe('Accounts in this state'),
  ...pageSchema.shape,
});

/** accountsSchema is the list of accounts. */
export const accountsSchema = listOf(accountSchema).meta({ id: 'Accounts' });

/** newAccountBody is an account to create. */
export const newAccountBody = z
  .strictObject({
    email: emailSchema,
    name: nameSchema.optional(),
    role: roleSchema.optional().describe('`viewer` where it is left out'),
    password: passwordSchema.optional().describe('Left out, the answer has a one-time code that sets one'),
  })
  .meta({ id: 'NewAccount' });

/** accountUpdateBody is what is changed; what is left out stays. */
export const accountUpdateBody = z
  .strictObject({
    name: nameSchema.nullable().optional(),
    role: roleSchema.optional().describe('Another role ends the sessions of the account'),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'False does what `DELETE` does. True needs a session; the password from before never counts again',
      ),
    password: passwordSchema
      .optional()
      .describe('With `enabled: true`, instead of the one-time code that sets a new password'),
  })
  .meta({ id: 'AccountUpdate' });

/** accountPath is the parameter of an account's paths. */
export const accountPath = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z2-7]{16}$/, { error: 'is not the ID of an account' })
    .describe('Id of the account'),
});
