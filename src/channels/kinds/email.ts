import { z } from 'zod';
import { isLoopback } from '../../base/index.ts';
import { CHANNEL_EVENTS } from '../events.ts';
import { ADDRESS, password, shaped, text } from '../fields.ts';
import type { Teller } from '../kind.ts';

/** EmailSettings say which server sends to whom. */
export interface EmailSettings {
  readonly host: string;
  readonly port: number;
  /** `none` is plain text, which may be sent only to a server on loopback. */
  readonly security: 'starttls' | 'tls' | 'none';
  readonly username: string | null;
  /** Never answered; stored as it is. */
  readonly password: string | null;
  readonly from: string;
  readonly to: readonly string[];
}

const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const PORT = 'must be between 1 and 65535';

export const email: Teller<'email', EmailSettings, 'password'> = {
  kind: 'email',
  events: CHANNEL_EVENTS,
  fields: () => ({
    host: shaped('host name of a mail server', HOST, 253),
    port: z.int({ error: PORT }).min(1, { error: PORT }).max(65_535, { error: PORT }).default(587),
    security: z
      .enum(['starttls', 'tls', 'none'], { error: 'must be starttls, tls, or none on loopback' })
      .default('starttls'),
    username: text('user name', 254).nullish(),
    password: password.nullish(),
    from: shaped('e-mail address', ADDRESS, 254),
    to: z
      .array(shaped('e-mail address', ADDRESS, 254), { error: 'must be a list of e-mail addresses' })
      .min(1, { error: 'is empty' })
      .max(100, { error: 'must have at most 100 addresses' }),
  }),
  together: (document) =>
    document.superRefine((read, issues) => {
      const { security, host } = read as { readonly security: unknown; readonly host: string };
      if (security === 'none' && !isLoopback(host))
        issues.addIssue({
          code: 'custom',
          path: ['security'],
          message:
            'the value none is allowed only for a server on loopback, because mail and password are sent in plain text',
        });
    }),
  unset: { username: null, password: null },
  target: ({ to }) => to.join(', '),
  secrets: [{ field: 'password', required: false, boundTo: ['host', 'port', 'security'] }],
  needsSecret: ({ username }) => typeof username === 'string',
  setup: {
    name: 'Mail',
    example: { host: 'mail.example.com', from: 'ipo@example.com', to: ['ops@example.com'] },
    options: ['host', 'port', 'security', 'username', 'from', 'to'],
    questions: { password: 'Password of the account at the mail server (not shown)' },
  },
};
