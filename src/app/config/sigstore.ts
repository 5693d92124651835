import { z } from 'zod';
import { isLoopback } from '../../base/index.ts';
import { path } from './parts.ts';

/** sigstoreSettings say by which root keyless signatures are verified. */
export const sigstoreSettings = z
  .strictObject({
    trustRoot: z
      .string()
      .max(2048)
      .refine((text) => readTrustPlace(text) !== null, {
        error: 'must be https://… of a TUF repository, file:///… of a trusted_root.json, or off',
      })
      .default('https://tuf-repo-cdn.sigstore.dev')
      .meta({
        description:
          'Root by which keyless signatures are verified: a TUF repository, asked once a day, or a `trusted_root.json` as `file:///etc/sigstore/NAME`, with which nobody is asked. `off`: keyless signatures cannot be verified, and are said to be so',
        format: 'https://…, file:///… or off',
      }),
    tufRootFile: path(
      'First root of the keys of that TUF repository, where it is not the public one of Sigstore',
    ).optional(),
    keyedLog: z.enum(['optional', 'required']).default('optional').meta({
      description: 'Whether a signature by a key counts only where a transparency log has it too',
    }),
  })
  .prefault({});

/** TrustPlace is where a trust root is had from. */
export type TrustPlace =
  | { readonly kind: 'off' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'tuf'; readonly mirror: string };

/** readTrustPlace reads the setting `sigstore.trustRoot`; null for a text that is none. */
export function readTrustPlace(text: string): TrustPlace | null {
  if (text === 'off') return { kind: 'off' };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '' || url.search !== '')
    return null;
  if (url.protocol === 'file:')
    return /^file:\/\/\/./i.test(text) ? { kind: 'file', path: decodeURIComponent(url.pathname) } : null;
  const isCalled = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isCalled ? { kind: 'tuf', mirror: text.replace(/\/+$/, '') } : null;
}
