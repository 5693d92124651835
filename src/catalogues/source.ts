import { fileURLToPath } from 'node:url';
import { isLoopback } from '../base/index.ts';

/** CISA_KEV is the published address of the catalogue. */
export const CISA_KEV = 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json';

/** KevPlace is where the catalogue is looked for. */
export type KevPlace =
  | { readonly kind: 'off' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'http'; readonly url: URL };

/**
 * readKevSource reads a setting such as `kev.source`: `https://…` (plain HTTP only for this machine), `file:///…`, or `off`. Gives what is
 * wrong with another text.
 */
export function readKevSource(text: string, mount = '/etc/kev/'): KevPlace | { readonly fault: string } {
  if (text === 'off') return { kind: 'off' };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'file:') return readFile(text, url, mount);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { fault: 'must be https://…, file:///… or off' };
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return { fault: 'must hold no password and no #' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return { fault: 'must be https; plain HTTP is allowed only for this machine' };
  return { kind: 'http', url };
}

function readFile(text: string, url: URL, mount: string): KevPlace | { readonly fault: string } {
  const fault = { fault: `must name a file of this machine as file://${mount}NAME` };
  if (!/^file:\/\/\/./i.test(text) || url.search !== '' || url.hash !== '') return fault;
  try {
    return { kind: 'file', path: fileURLToPath(url) };
  } catch {
    return fault; // such as an encoded slash
  }
}
