/**
 * SECURITY_HEADERS stand on every answer, errors and probes included: nothing the service sends is a page, so a browser
 * may run, frame and guess nothing of it, and no cache may keep it.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'interest-cohort=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
};

/** STRICT_TRANSPORT is added where the service is reached by HTTPS. */
export const STRICT_TRANSPORT = 'max-age=31536000';
