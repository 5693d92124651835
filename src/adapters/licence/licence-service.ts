import { Agent, request } from 'undici';
import { IpoError, isLoopback, printable, type Secret } from '../../base/index.ts';
import { MAX_CERTIFICATE, type LicenceService } from '../../licence/index.ts';
import { AddressRefused, openConnector, ProxyFault, type Outbound } from '../transport/index.ts';

/** LicenceServiceOptions say where the licence service is, and which key it is asked with. */
export interface LicenceServiceOptions {
  readonly url: string;
  readonly key: Secret;
  readonly outbound?: Outbound | undefined;
  /** Milliseconds for the call (30 s). */
  readonly timeoutMs?: number;
}

/**
 * openLicenceService gives the service behind an address: `POST {url}/v1/certificates` with the activation request, the key as bearer; the
 * answer of 200 is the certificate as text. Redirects are not followed, since the key would go along.
 */
export function openLicenceService(options: LicenceServiceOptions): LicenceService {
  const { key, outbound, timeoutMs = 30_000 } = options;
  const base = new URL(options.url);
  const url = new URL(`${base.pathname.replace(/\/+$/, '')}/v1/certificates`, base);
  return {
    async certificateFor(body, signal) {
      const rules = { testLoopback: isLoopback(url.hostname), privateNetworks: 'allow', denied: [] } as const;
      const agent = new Agent({
        connect: openConnector({ rules, timeoutMs, outbound }),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      try {
        const answer = await request(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'text/plain',
            'user-agent': 'ipo',
            authorization: `Bearer ${key.reveal()}`,
          },
          body: JSON.stringify(body),
          dispatcher: agent,
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
        });
        const text = await textOf(answer.body as AsyncIterable<Buffer>, url);
        if (answer.statusCode === 200) return text;
        throw refused(url, answer.statusCode, text.replaceAll(key.reveal(), '[key]'));
      } catch (error) {
        if (error instanceof IpoError) throw error;
        throw new IpoError('network', `the licence service ${url.host} ${reasonOf(error)}`, { cause: error });
      } finally {
        await agent.destroy();
      }
    },
  };
}

async function textOf(body: AsyncIterable<Buffer>, url: URL): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_CERTIFICATE)
      throw new IpoError(
        'network',
        `the licence service ${url.host} answers with more than any certificate has`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function refused(url: URL, status: number, text: string): IpoError {
  if (status === 401 || status === 403)
    return new IpoError(
      'forbidden',
      `the licence service ${url.host} does not take our key (status ${status})`,
      {
        hint: 'Set licence.key to a key that it has issued',
      },
    );
  if (status >= 300 && status < 400)
    return new IpoError(
      'network',
      `the licence service ${url.host} redirects (status ${status}), and redirects are not followed`,
      {
        hint: 'Set licence.url to where it is now',
      },
    );
  const said = printable(text.trim().slice(0, 200));
  return new IpoError(
    'network',
    `the licence service ${url.host} answers ${status}${said === '' ? '' : `: ${said}`}`,
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused || error instanceof ProxyFault) return error.message;
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'did not answer in time';
  return code === 'ECONNREFUSED'
    ? 'refuses connections'
    : `cannot be reached${code === '' ? '' : ` (${code})`}`;
}
