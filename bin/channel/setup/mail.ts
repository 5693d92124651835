import type { MailDoor } from '../../../src/app/index.ts';
import type { Secret } from '../../../src/base/index.ts';
import { openDocuments, type EmailSettings } from '../../../src/channels/index.ts';
import type { Document } from '../document.ts';
import type { Remark } from './check.ts';

/** MailCheck is what a mail server is asked about. */
export interface MailCheck {
  readonly fields: Document;
  readonly secrets: Readonly<Record<string, Secret>>;
  readonly door: MailDoor;
  readonly testLoopback: boolean;
}

const HOW = { none: 'without TLS', tls: 'with TLS', starttls: 'with STARTTLS' } as const;

/** What a fault leaves open: why this machine may not reach what the service reaches. */
const UNTOLD = {
  proxy: 'Fix it, or give --no-check if only the service reaches the server',
  direct:
    'Fix it. If the service calls the server through a proxy, set outbound.proxy; if only the service reaches it, give --no-check',
} as const;

/** checkMail asks a mail server whether it would take mail of a channel, and says by which way it was asked. */
export async function checkMail({ fields, secrets, door, testLoopback }: MailCheck): Promise<Remark> {
  const password = secrets['password']?.reveal() ?? null;
  const document = { kind: 'email', name: 'mail', ...fields, ...(password !== null && { password }) };
  const { settings } = openDocuments({ testLoopback, allowedHosts: [] })(document);
  const mail: EmailSettings = { ...(settings as unknown as EmailSettings), password };
  const { host, port, security, username } = mail;
  const { proxy, fault } = await door.check({ ...mail, username: username ?? null });
  const through = proxy === null ? '' : ` through the proxy ${proxy}`;
  if (fault === null)
    return {
      level: 'ok',
      sentence: `${host}:${port} accepts sender and recipients ${HOW[security]}${through}; no mail was sent`,
    };
  const { message, hint = UNTOLD[proxy === null ? 'direct' : 'proxy'] } = fault;
  return { level: 'wrong', sentence: message, fix: hint };
}
