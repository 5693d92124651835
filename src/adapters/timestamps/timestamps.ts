import { Agent, request } from 'undici';
import { IpoError, isLoopback, printable } from '../../base/index.ts';
import { AddressRefused, openConnector, ProxyFault, type Outbound } from '../transport/index.ts';

/** Timestamps asks an authority for time stamps. */
export interface Timestamps {
  /** Gives the answer to a TimeStampReq, in DER. Throws IpoError `network`. */
  stamp(query: Uint8Array, signal: AbortSignal): Promise<Buffer>;
}

const MAX_ANSWER = 65_536;

/** openTimestamps gives the authority behind an address. Redirects are not followed. */
export function openTimestamps(
  address: string,
  outbound: Outbound | undefined,
  timeoutMs = 30_000,
): Timestamps {
  const url = new URL(address);
  const fault = (what: string, cause?: unknown): IpoError =>
    new IpoError('network', `the time stamp authority ${url.host} ${what}`, {
      hint: 'Check evidence.timestampUrl, and outbound.proxy and outbound.caFile',
      cause,
    });
  return {
    async stamp(query, signal) {
      const rules = { testLoopback: isLoopback(url.hostname), privateNetworks: 'allow', denied: [] } as const;
      const agent = new Agent({ connect: openConnector({ rules, timeoutMs, outbound }) });
      try {
        const answer = await request(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/timestamp-query',
            accept: 'application/timestamp-reply',
            'user-agent': 'ipo',
          },
          body: Buffer.from(query),
          dispatcher: agent,
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
        });
        const parts: Buffer[] = [];
        let size = 0;
        for await (const part of answer.body as AsyncIterable<Buffer>) {
          size += part.length;
          if (size > MAX_ANSWER) throw fault('answers with more than any time stamp has');
          parts.push(part);
        }
        if (answer.statusCode === 200) return Buffer.concat(parts);
        const said = printable(Buffer.concat(parts).toString('utf8').trim().slice(0, 200));
        throw fault(`answers ${answer.statusCode}${said === '' ? '' : `: ${said}`}`);
      } catch (error) {
        if (error instanceof IpoError) throw error;
        throw fault(reasonOf(error), error);
      } finally {
        await agent.destroy();
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused || error instanceof ProxyFault) return error.message;
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'did not answer in time';
  return code === 'ECONNREFUSED'
    ? 'refuses connections'
    : `cannot be reached${code === '' ? '' : ` (${code})`}`;
}
