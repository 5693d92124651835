import { connect } from 'node:tls';
import { isLoopback } from '../../base/index.ts';

/** Milliseconds in which a registry of this machine shows whether it speaks TLS. */
const PROBE_MS = 2000;

/**
 * TlsOnLoopback finds out which registries of this machine speak TLS. They are called over plain HTTP without being told so, as
 * Docker does; one with a certificate would refuse that.
 */
export class TlsOnLoopback {
  readonly #plain: ReadonlySet<string>;
  readonly #found = new Map<string, Promise<boolean>>();

  /** `plain` are hosts of which it was said that they speak plain HTTP. */
  constructor(plain: readonly string[]) {
    this.#plain = new Set(plain);
  }

  /** Whether a host, with its port, is of this machine and speaks TLS. Never rejects. */
  speaks(host: string): Promise<boolean> {
    const known = this.#found.get(host);
    if (known !== undefined) return known;
    const url = URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : null;
    const isHere = url !== null && (isLoopback(url.hostname) || url.hostname.endsWith('.localhost'));
    const found = isHere && !this.#plain.has(host) ? probe(url) : Promise.resolve(false);
    this.#found.set(host, found);
    return found;
  }
}

/** No certificate is believed here: nothing is sent, and the call itself verifies it. */
function probe({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? 443 : Number(port),
      rejectUnauthorized: false,
    });
    const end = (speaks: boolean): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(PROBE_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => resolve(false));
  });
}
