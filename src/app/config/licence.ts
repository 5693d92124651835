import { z } from 'zod';
import { parseVkey } from '../../ledger/index.ts';
import { secret } from './parts.ts';

/** licenceSettings say whose certificates are believed, and where they come from. */
export const licenceSettings = z
  .strictObject({
    publicKeys: z
      .array(
        z.string().superRefine((text, context) => {
          try {
            parseVkey(text);
          } catch {
            context.addIssue({
              code: 'custom',
              message: 'must be a key as ipo licence keygen prints it: NAME+8 hex digits+base64',
            });
          }
        }),
      )
      .max(100)
      .default([])
      .meta({
        description:
          'Keys that may sign licence certificates, as `ipo licence keygen` prints them. None: no certificate can be activated, and there is no ceiling',
      }),
    url: z
      .string()
      .refine((text) => isLicenceAddress(text), {
        error: 'must be an address such as https://licences.example.com',
      })
      .meta({
        description:
          'Licence service that is asked for the certificate once a day, with `licence.key`. Unset: certificates are activated by hand',
        format: 'address',
      })
      .optional(),
    key: secret('Licence key, which the licence service is asked with').optional(),
  })
  .refine(({ url, key }) => url === undefined || key !== undefined, {
    path: ['key'],
    error: 'is needed with licence.url',
  })
  .prefault({});

/** Plain HTTP would show the key on the way; only this machine may have it. */
function isLicenceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
  return (
    (protocol === 'https:' || (protocol === 'http:' && isHere)) &&
    username === '' &&
    password === '' &&
    search === '' &&
    hash === ''
  );
}
