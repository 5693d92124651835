import { z } from 'zod';
import { MAX_DEVICE } from '../../accounts/index.ts';
import { accountSchema, emailSchema, nameSchema, passwordSchema, roleSchema } from './accounts.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');
const code = z.string().max(100, { error: 'is not a valid code' });

/** signInBody is an e-mail address with its password, or the code of a sign-in that the command line began. */
export const signInBody = z
  .strictObject({
    email: emailSchema.optional(),
    password: passwordSchema.optional(),
    device: z
      .string()
      .max(MAX_DEVICE, { error: 'is not a valid device mark' })
      .optional()
      .describe(
        '`device` of an earlier answer: failures of others do not lock this sign-in. Browsers have it as a cookie',
      ),
    code: code.optional().describe('One-time code that the browser showed after the identity provider'),
    verifier: z
      .string()
      .regex(/^[\w-]{43,128}$/, { error: 'is not a valid verifier' })
      .optional()
      .describe('What the `challenge` of `GET /session/oidc` was made from'),
  })
  .superRefine(({ email, password, code, verifier }, context) => {
    const byCode = code !== undefined || verifier !== undefined;
    const needed = byCode ? { code, verifier } : { email, password };
    for (const [name, value] of Object.entries(needed))
      if (value === undefined) context.addIssue({ code: 'custom', path: [name], message: 'is missing' });
    if (byCode && (email !== undefined || password !== undefined)) {
      context.addIssue({ code: 'custom', message: 'send email and password, or code and verifier' });
    }
  })
  .meta({ id: 'SignIn' });

/** signedInSchema is a sign-in that succeeded. */
export const signedInSchema = z
  .object({
    token: z.string().describe('Secret of the session, to be sent as bearer; browsers have it as a cookie'),
    expires_at: time.describe('When it ends at the latest; without use it ends after half an hour'),
    account: accountSchema,
    device: z
      .string()
      .nullable()
      .describe(
        'Mark of this device, for `device` of the next sign-in with this password; it proves nobody. Null without a password',
      ),
  })
  .meta({ id: 'SignedIn' });

/** SignedInBody is a sign-in that succeeded. */
export type SignedInBody = z.infer<typeof signedInSchema>;

/** sessionSchema is who makes the call. */
export const sessionSchema = z
  .object({
    account: accountSchema,
    role: roleSchema.describe('What this call may do: of the account, or of the token where that is less'),
    via: z.enum(['session', 'token']),
    token_id: z.string().nullable(),
    expires_at: time,
  })
  .meta({ id: 'Session' });

/** SessionBody is who makes the call. */
export type SessionBody = z.infer<typeof sessionSchema>;

/** changePasswordBody changes one's own password. */
export const changePasswordBody = z
  .strictObject({ current: passwordSchema, password: passwordSchema })
  .meta({ id: 'PasswordChange' });

/** setPasswordBody sets a password with a one-time code. */
export const setPasswordBody = z
  .strictObject({ code, password: passwordSchema })
  .meta({ id: 'PasswordByCode' });

const setupCode = code.describe('One-time code that the service wrote into its log at the start');

/** setupCheckBody asks whether a code would set up the service. */
export const setupCheckBody = z.strictObject({ code: setupCode }).meta({ id: 'SetupCheck' });

/** setupBody makes the first administrator. */
export const setupBody = z
  .strictObject({
    code: setupCode,
    email: emailSchema,
    name: nameSchema.optional(),
    password: passwordSchema,
  })
  .meta({ id: 'Setup' });

/** oidcQuery says how a sign-in at the identity provider is to end. */
export const oidcQuery = z.strictObject({
  challenge: z
    .string()
    .regex(/^[\w-]{43}$/, { error: 'is not a valid challenge: base64url of a SHA-256' })
    .optional()
    .describe(
      'For the command line: base64url of the SHA-256 of a verifier; the sign-in then ends with a code',
    ),
});

/** callbackQuery is what the identity provider sends the browser back with; providers add more. */
export const callbackQuery = z.looseObject({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
});
