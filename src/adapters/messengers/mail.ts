import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createTransport, type SendMailOptions } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { printable, Secret } from '../../base/index.ts';
import type { EmailSettings } from '../../channels/index.ts';
import { SendError, type Message, type Messenger } from '../../notify/index.ts';
import { toMail } from '../markup/index.ts';
import { openRedactor, toSaid, type AddressRules, type Outbound } from '../transport/index.ts';
import { waysTo } from './mail-way.ts';

/** Milliseconds: for a connection and its greeting, and for each answer. */
const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;

/** MailOptions say how a mail server is reached. */
export interface MailOptions {
  readonly settings: EmailSettings;
  readonly rules: AddressRules;
  /** Asked right before the connection is made, or used where a proxy made it. */
  readonly guard: () => boolean;
  /** PEM of further authorities. */
  readonly ca?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  /** Through which proxy; directly unless said. */
  readonly outbound?: Outbound | undefined;
  /** Gives the addresses of a name; the system's unless said. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
}

/** MailMessenger can be asked whether it works, too. */
export interface MailMessenger extends Messenger {
  /** Connects, takes TLS, signs in and names sender and recipients, which the server must accept; no mail is sent. Throws SendError. */
  check(): Promise<void>;
}

/**
 * openMail gives the messenger of a mail server. Recipients are given as objects, since a text could hold more than one; nothing is read
 * from a file or an address into a mail.
 */
export function openMail(options: MailOptions): MailMessenger {
  const { settings, guard } = options;
  const { host, port, password } = settings;
  const redact = openRedactor(password === null ? [] : [new Secret(password)]);
  const where = `${host}:${port}`;
  const connected = async <T>(act: (place: Place) => Promise<T>): Promise<T> => {
    const { rules, outbound, resolve, timeoutMs = ANSWER_MS } = options;
    const waiting = Math.min(CONNECT_MS, timeoutMs);
    const ways = await waysTo({ host, port, rules, outbound, resolve, timeoutMs: waiting });
    for (const [at, way] of ways.entries()) {
      const connection = await way.open();
      try {
        if (!guard()) throw new SendError('stopped', `nothing was sent to ${where}`);
        return await act({ host: way.host, connection });
      } catch (error) {
        if (at === ways.length - 1 || !isUnreached(error)) throw toSendError(error, where, redact);
      } finally {
        connection?.destroy();
      }
    }
    throw new SendError('later', `${settings.host} has no address`);
  };
  return {
    send: (message) =>
      connected(async (place) => {
        const transport = openTransport(options, place);
        try {
          const { response, rejected } = await transport.sendMail(toEnvelope(message, settings));
          const said = printable(redact(response), 200);
          return rejected.length === 0 ? said : `${said}; refused for ${rejected.map(String).join(', ')}`;
        } finally {
          transport.close();
        }
      }),
    check: () => connected((place) => offerEnvelope(options, place)),
  };
}

/** What ends a mail that is only offered. */
class Enough extends Error {}

/**
 * A server has accepted sender and recipients once it wants to read the mail. The connection ends there: what has no end is not mail, which
 * RFC 5321 (4.1.1.10) lets no server deliver.
 */
async function offerEnvelope(options: MailOptions, place: Place): Promise<void> {
  const { from, to, username, password } = options.settings;
  const connection = new SMTPConnection(connectionOf(options, place));
  try {
    await new Promise<void>((done, fail) => {
      const next = (act: () => void) => (error?: Error | null) => {
        if (error instanceof Error) fail(error);
        else act();
      };
      const offer = (): void => {
        // It is read once the server has asked for it.
        const mail: Readable = new Readable({ read: () => void mail.destroy(new Enough()) });
        connection.send({ from, to: [...to] }, mail, (error) => {
          if (error === null || error === undefined || error instanceof Enough) done();
          else fail(error);
        });
      };
      connection.once('error', fail);
      connection.connect(
        next(() => {
          if (username === null) offer();
          else connection.login({ user: username, pass: password ?? '' }, next(offer));
        }),
      );
    });
  } finally {
    connection.close();
  }
}

/** Place is what the library connects to, or the connection that a proxy made to it. */
interface Place {
  readonly host: string;
  readonly connection: Socket | null;
}

function connectionOf(
  { settings, ca, timeoutMs = ANSWER_MS }: MailOptions,
  { host: address, connection }: Place,
) {
  const { host, port, security } = settings;
  return {
    host: address,
    ...(connection !== null && { connection }),
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { servername: isIP(host) === 0 ? host : '', ...(ca !== undefined && { ca: [...ca] }) },
    connectionTimeout: Math.min(CONNECT_MS, timeoutMs),
    greetingTimeout: Math.min(CONNECT_MS, timeoutMs),
    socketTimeout: timeoutMs,
  };
}

function openTransport(options: MailOptions, place: Place) {
  const { username, password } = options.settings;
  return createTransport({
    ...connectionOf(options, place),
    ...(username !== null && { auth: { user: username, pass: password ?? '' } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Whether no connection was made, so that another address of the same server may be tried. */
function isUnreached(error: unknown): boolean {
  const { syscall, command } = error as { readonly syscall?: string; readonly command?: string };
  return syscall === 'connect' || command === 'CONN';
}

function toEnvelope(message: Message, { from, to }: EmailSettings): SendMailOptions {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const idOf = (id: string): string => `<${id}@${domain}>`;
  const { subject, text, html } = toMail(message);
  const references = message.references.map(idOf);
  return {
    from: { name: 'ipo', address: from },
    to: to.map((address) => ({ name: '', address })),
    envelope: { from, to: [...to] },
    subject,
    text,
    html,
    messageId: idOf(message.id),
    ...(references.length > 0 && { references, inReplyTo: references.at(-1) }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNECTION: 'cannot be reached',
  ECONNREFUSED: 'refuses connections',
  ETIMEDOUT: 'did not answer in time',
  ESOCKET: 'cut the connection',
  EDNS: 'cannot be looked up now',
  ETLS: 'does not offer STARTTLS',
  EAUTH: 'does not accept the user name and password',
  EPROTOCOL: 'does not speak SMTP there',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no trusted authority signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that no trusted authority signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that no trusted authority signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that no trusted authority signed',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS from the first byte on that port',
};

/** The server wants STARTTLS or a sign-in first. */
const WANTS_MORE = 530;

interface MailFault {
  readonly code?: string;
  /** What lies below, such as the fault of a certificate. */
  readonly originalCode?: string;
  /** What OpenSSL says of a handshake that failed. */
  readonly reason?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly message?: string;
}

function toSendError(error: unknown, where: string, redact: (text: string) => string): unknown {
  if (error instanceof SendError || !(error instanceof Error)) return error;
  const { code = '', originalCode = '', reason = '', responseCode, response, message } = error as MailFault;
  // A recipient, a sender or a mail that is refused for good; what the server misses of the connection is fixed in the channel, and tried again.
  const isOwn = code === 'EENVELOPE' || code === 'EMESSAGE';
  const refused = isOwn && responseCode !== undefined && responseCode >= 500 && responseCode !== WANTS_MORE;
  const known =
    SENTENCES[originalCode] ??
    (originalCode.startsWith('ERR_SSL_')
      ? `ended the TLS handshake: ${printable(reason, 200)}`
      : SENTENCES[code]);
  const said = response === undefined ? '' : toSaid(response, redact);
  const sentence =
    said !== ''
      ? `${where} ${known === undefined || isOwn ? 'answers' : `${known}:`} ${said}`
      : `${where} ${known ?? `cannot be used: ${printable(redact(message ?? ''), 200)}`}`;
  return new SendError(refused ? 'refused' : 'later', sentence, { hint: HINTS[originalCode] ?? HINTS[code] });
}

const UNTRUSTED = 'If it is right, add the authority that signed it to outbound.caFile';

const HINTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER:
    'Use security: starttls, or the port of the server that expects TLS (mostly 465)',
  ETLS: 'Use the port of the server that offers STARTTLS (mostly 587), or security: tls (mostly 465)',
  EAUTH: 'Enter the password again: ipo channel edit CHANNEL --ask-credential',
};
