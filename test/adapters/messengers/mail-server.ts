import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { MailOptions } from '../../../src/adapters/messengers/index.ts';
import type { EmailSettings } from '../../../src/channels/index.ts';
import { SendError } from '../../../src/notify/index.ts';
import { makeCertificate } from '../../app/certificate.ts';

/** PASSWORD is that of the account at the mail server, which must show nowhere. */
export const PASSWORD = 'canary-mail-password';

interface Post {
  readonly port: number;
  readonly mails: ParsedMail[];
  readonly recipients: string[][];
}

/** post starts a real mail server with STARTTLS and sign-in, which ends with the test and keeps what it took. */
export async function post(
  t: TestContext,
  options: SMTPServerOptions = {},
): Promise<Post & { readonly ca: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-mail-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = makeCertificate(folder, 'mail');
  const [cert, key] = [readFileSync(files.cert, 'utf8'), readFileSync(files.key, 'utf8')];
  const mails: ParsedMail[] = [];
  const recipients: string[][] = [];
  const server = new SMTPServer({
    ...{ cert, key, disableReverseLookup: true, logger: false },
    onAuth: ({ username, password }, _session, callback) => {
      if (username === 'ipo' && password === PASSWORD) callback(null, { user: 'ipo' });
      else callback(Object.assign(new Error('authentication failed'), { responseCode: 535 }));
    },
    onData: (stream, session, callback) => {
      const take = async (): Promise<void> => {
        try {
          mails.push(await simpleParser(stream));
          recipients.push(session.envelope.rcptTo.map(({ address }) => address));
        } catch (error) {
          // A mail that is only offered has no end.
          assert.match(String(error), /closed before the message/);
        }
        callback();
      };
      void take();
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  t.after(() => new Promise<void>((done) => server.close(done)));
  return { port: (server.server.address() as AddressInfo).port, mails, recipients, ca: cert };
}

export function optionsFor(
  port: number,
  more: Omit<Partial<MailOptions>, 'settings'> & { readonly settings?: Partial<EmailSettings> } = {},
): MailOptions {
  const { settings, ...rest } = more;
  return {
    settings: {
      ...{ host: '127.0.0.1', port, security: 'starttls', username: 'ipo', password: PASSWORD },
      ...{ from: 'ipo@example.com', to: ['ops@example.com', 'desk@example.com'] },
      ...settings,
    } as EmailSettings,
    rules: { testLoopback: false, privateNetworks: 'allow', denied: [] },
    guard: () => true,
    timeoutMs: 3000,
    ...rest,
  };
}

export async function fault(act: Promise<unknown>): Promise<SendError> {
  const error = await act.then(
    () => assert.fail('it was sent'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SendError, String(error));
  assert.ok(!`${error.message}${error.hint ?? ''}`.includes(PASSWORD));
  return error;
}
