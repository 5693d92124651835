import { z } from 'zod';
import { readKevSource, type KevPlace } from '../../catalogues/index.ts';

/** What a signed document's bundle is called where nothing else is said, as `cosign sign-blob --bundle` is usually told. */
const BUNDLE_ENDING = '.sigstore.json';

type Place = Exclude<KevPlace, { kind: 'off' }>;

const place = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const read = readVexPlace(text);
    if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault });
  });

/** vexSettings are the settings of VEX documents that are not attached to images. */
export const vexSettings = z
  .strictObject({
    sources: z
      .array(z.strictObject({ document: place, bundle: place.optional() }))
      .max(100)
      .default([])
      .meta({
        description:
          'VEX documents (OpenVEX, CSAF or CycloneDX) beside those attached to images, each read every 6 hours. `document` is `https://…` or `file:///…`, and may be packed with gzip. `bundle` is the Sigstore bundle that signs it; by default the address of the document with `.sigstore.json` after its path. A statement counts for the digests that it names, under policies that trust its signer',
        format: 'list of `{document, bundle}`',
      }),
  })
  .prefault({});

/** readVexPlace reads where a document or a bundle is: `https://…` (plain HTTP only for this machine) or `file:///…`. */
export function readVexPlace(text: string): Place | { readonly fault: string } {
  const read = text === 'off' ? null : readKevSource(text, '/etc/vex/');
  if (read === null || ('kind' in read && read.kind === 'off'))
    return { fault: 'must be https://… or file:///…' };
  return 'fault' in read ? { fault: read.fault.replace(' or off', '') } : read;
}

/** bundlePlace gives where the bundle of a document is: as said, else beside the document. */
export function bundlePlace(document: Place, said: string | undefined): Place {
  if (said !== undefined) {
    const read = readVexPlace(said);
    if ('fault' in read) throw new Error(`vex.sources ${read.fault}`); // the settings were checked
    return read;
  }
  if (document.kind === 'file') return { kind: 'file', path: `${document.path}${BUNDLE_ENDING}` };
  const url = new URL(document.url);
  url.pathname += BUNDLE_ENDING;
  return { kind: 'http', url };
}
