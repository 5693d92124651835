import { gzipSync } from 'node:zlib';
import type { Fault } from './faults.ts';
import type { Provider } from './provider.ts';
import type { WireReply, WireRequest } from './wire.ts';
import type { World } from './world.ts';

/** StruckParts are what a fault needs of the server that it strikes. */
export interface StruckParts {
  readonly provider: Provider;
  readonly world: World;
  /** elsewhere is the host that injected redirects lead to. */
  readonly elsewhere: string;
}

const PAGE = (status: number): string =>
  `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The proxy could not serve this page.</p></body></html>\n`;

/** strike gives what a fault makes of a request: null while it is not its turn. `reply` is null before the effect. */
export function strike(
  fault: Fault,
  parts: StruckParts,
  request: WireRequest,
  reply: WireReply | null,
): WireReply | 'reset' | 'hang' | null {
  const now = reply === null ? 'before' : 'after';
  if ('stage' in fault ? fault.stage !== now : now !== 'before') return null;
  const json = { 'content-type': 'application/json; charset=utf-8' };
  switch (fault.kind) {
    case 'reset':
    case 'hang':
      return fault.kind;
    case 'status': {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
      if (fault.status === 500) return { ...parts.provider.fail(500), headers };
      return {
        status: fault.status,
        headers: { 'content-type': 'text/html', ...headers },
        body: PAGE(fault.status),
      };
    }
    case 'html':
      return { status: fault.status, headers: { 'content-type': 'text/html' }, body: PAGE(fault.status) };
    case 'limited': {
      const after = new Date(parts.world.now() + 60_000).toUTCString();
      const retry = fault.retryAfter === 'date' ? after : fault.retryAfter;
      return parts.provider.limited(fault.secondary === true ? 'secondary' : 'primary', retry);
    }
    case 'answer':
      return { status: fault.status, headers: fault.headers ?? {}, body: fault.body };
    case 'redirect': {
      const to = fault.to ?? `${parts.elsewhere}${request.path}`;
      return {
        status: fault.status,
        headers: { location: to, ...json },
        body: { message: 'Moved', url: to },
      };
    }
    case 'truncated': {
      const whole = JSON.stringify(reply?.body ?? { message: 'cut' });
      return {
        status: reply?.status ?? 200,
        headers: json,
        body: whole.slice(0, Math.ceil(whole.length / 2)),
      };
    }
    case 'oversized':
      return {
        status: reply?.status ?? 200,
        headers: json,
        body: JSON.stringify({ pad: 'x'.repeat(3_000_000) }),
      };
    case 'bomb': {
      const packed = gzipSync(Buffer.from(JSON.stringify({ pad: 'x'.repeat(8_000_000) })));
      return { status: reply?.status ?? 200, headers: { ...json, 'content-encoding': 'gzip' }, body: packed };
    }
  }
}
