import type { ScanFailureReason } from '../../findings/index.ts';

/**
 * What scanners hand on of a registry's answer, or of the way to it, by the libraries that Trivy and Grype have in common. What names a
 * cause stands before what merely says that nothing came of it. It is shown, and decides nothing: a registry may say whatever it likes.
 */
const WORDS: readonly (readonly [RegExp, ScanFailureReason])[] = [
  [
    /x509:|certificate signed by unknown authority|certificate is not trusted|failed to verify certificate|certificate has expired/i,
    'certificate',
  ],
  [/server gave HTTP response to HTTPS client|HTTP request (?:was sent )?to an HTTPS server/i, 'refused'],
  [/TOOMANYREQUESTS|too many requests|rate limit|\b429\b/i, 'rate_limited'],
  [
    /UNAUTHORIZED|\bDENIED\b|authentication required|no basic auth|access forbidden|\b(?:401|403)\b|forbidden/i,
    'unauthorized',
  ],
  [
    /MANIFEST_UNKNOWN|NAME_UNKNOWN|BLOB_UNKNOWN|TAG_UNKNOWN|NAME_INVALID|manifest unknown|repository .{0,200}not found|\b404\b/i,
    'not_found',
  ],
  [/no child with platform|unsupported (?:media ?type|manifest)|unexpected media ?type/i, 'unsupported'],
  [
    /no such host|server misbehaving|connection (?:refused|reset|timed out)|i\/o timeout|network is unreachable|no route to host|TLS handshake timeout|proxyconnect|unexpected EOF|\b50[0-4]\b|\bEOF$/i,
    'unreachable',
  ],
];

/** registryReasonIn gives the reason that a scanner's words about a registry tell; `failed` where they tell none. */
export function registryReasonIn(said: string): ScanFailureReason {
  return WORDS.find(([words]) => words.test(said))?.[1] ?? 'failed';
}

/** crashReasonIn tells a scanner that broke down from one that says what is wrong: it was killed, panicked, or said nothing at all. */
export function crashReasonIn(said: string, how: string): ScanFailureReason {
  return said.trim() === '' ||
    / was killed by /.test(how) ||
    /^(?:panic:|fatal error:|SIG[A-Z]{2,}:)/m.test(said)
    ? 'crashed'
    : 'failed';
}
