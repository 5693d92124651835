import { AccountError } from './account-error.ts';

/** BrowserHeaders are the headers of a request that say where it came from; lower-case names. */
export type BrowserHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** SAFE_METHODS change nothing, so a page of another site may make a browser send them. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * holdOrigin refuses an unsafe request that another site may have made a browser send. `Sec-Fetch-Site`, which no page can set,
 * must be `same-origin` or `none`; browsers without it must send an `Origin` that is one of `origins`. A request that has
 * neither did not come from a page of ours and is refused when `cookie`, since a program that holds a session sends it as a
 * bearer. Throws `forbidden`.
 */
export function holdOrigin(
  request: { readonly method: string; readonly headers: BrowserHeaders },
  rule: { readonly origins: readonly string[]; readonly cookie: boolean },
): void {
  if (SAFE_METHODS.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  const origin = request.headers['origin'];
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
    throw refused(origin);
  }
  if (origin === undefined ? rule.cookie : !rule.origins.includes(String(origin).toLowerCase()))
    throw refused(origin);
}

function refused(origin: string | readonly string[] | undefined): AccountError {
  const from = typeof origin === 'string' ? ` (${origin})` : '';
  return new AccountError('forbidden', `a page of another site may not do this${from}`, {
    hint: 'Programs send the session as `Authorization: Bearer …` instead of a cookie',
  });
}
