import { Listener } from './listener.ts';
import type { WireRequest } from './wire.ts';

/** Trap is a host that nobody should speak to: redirects lead there, and whatever arrives is kept. */
export interface Trap {
  /** url is its address, without a path. */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  close(): Promise<void>;
}

/** openTrap opens a trap on loopback. It answers every request with a page. */
export async function openTrap(): Promise<Trap> {
  const requests: WireRequest[] = [];
  const listener = await Listener.open((request) => {
    requests.push(request);
    const bytes = Buffer.from('<!doctype html><title>elsewhere</title>');
    return Promise.resolve({ status: 200, headers: { 'content-type': 'text/html' }, bytes });
  });
  return { url: listener.origin, requests, close: () => listener.down() };
}
