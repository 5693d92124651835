import { asObject, fromBase64 } from '../../supply-chain/index.ts';

/** Shape is what a member of a bundle's JSON must be; a list is of one shape, an object has these members and no others. */
type Shape =
  | 'text'
  | 'bytes'
  | 'count'
  | { readonly list: Shape }
  | { readonly members: Readonly<Record<string, Shape>>; readonly oneOf?: readonly string[] };

const object = (members: Readonly<Record<string, Shape>>, oneOf: readonly string[] = []): Shape => ({
  members,
  oneOf,
});
const certificate = object({ rawBytes: 'bytes' });

const BUNDLE: Shape = object(
  {
    mediaType: 'text',
    verificationMaterial: object(
      {
        publicKey: object({ hint: 'text' }),
        x509CertificateChain: object({ certificates: { list: certificate } }),
        certificate,
        tlogEntries: {
          list: object({
            logIndex: 'count',
            logId: object({ keyId: 'bytes' }),
            kindVersion: object({ kind: 'text', version: 'text' }),
            integratedTime: 'count',
            inclusionPromise: object({ signedEntryTimestamp: 'bytes' }),
            inclusionProof: object({
              logIndex: 'count',
              rootHash: 'bytes',
              treeSize: 'count',
              hashes: { list: 'bytes' },
              checkpoint: object({ envelope: 'text' }),
            }),
            canonicalizedBody: 'bytes',
          }),
        },
        timestampVerificationData: object({
          rfc3161Timestamps: { list: object({ signedTimestamp: 'bytes' }) },
        }),
      },
      ['publicKey', 'x509CertificateChain', 'certificate'],
    ),
    messageSignature: object({
      messageDigest: object({ algorithm: 'text', digest: 'bytes' }),
      signature: 'bytes',
    }),
    dsseEnvelope: object({
      payload: 'bytes',
      payloadType: 'text',
      signatures: { list: object({ sig: 'bytes', keyid: 'text' }) },
    }),
  },
  ['messageSignature', 'dsseEnvelope'],
);

/**
 * isShapedAsBundle tells whether a JSON value is a bundle as the JSON form of its protobuf messages says, which the Go
 * verifiers hold everybody to: no unknown member, no other type, no base64 that only a lenient reader takes, one
 * alternative where there are several. The library's own reader lets all of these pass, as something else or as nothing.
 */
export function isShapedAsBundle(value: unknown): boolean {
  return fits(value, BUNDLE);
}

function fits(value: unknown, shape: Shape): boolean {
  if (shape === 'text') return typeof value === 'string';
  if (shape === 'bytes') return value === '' || fromBase64(value) !== null;
  if (shape === 'count') return isCount(value);
  if ('list' in shape) return Array.isArray(value) && value.every((entry) => fits(entry, shape.list));
  const holder = asObject(value);
  if (holder === null) return false;
  // A member that is null is one that is not there.
  const set = Object.entries(holder).filter(([, member]) => member !== null);
  if (set.filter(([key]) => shape.oneOf?.includes(key)).length > 1) return false;
  return Object.entries(holder).every(([key, member]) => {
    const expected = Object.hasOwn(shape.members, key) ? shape.members[key] : undefined;
    return expected !== undefined && (member === null || fits(member, expected));
  });
}

/** 64 bits as a decimal text, or a number that is exact. */
function isCount(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return typeof value === 'string' && /^(0|[1-9]\d{0,17})$/.test(value);
}
