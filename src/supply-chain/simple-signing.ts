import { isDigest, type Digest } from '../base/index.ts';
import { asObject, parseJson } from './statement.ts';

/** Types of the document that cosign writes now, and that it and others wrote before. */
const TYPES: readonly unknown[] = [
  'cosign container image signature',
  'atomic container signature',
  undefined,
];

/** SimpleSigning is what is used of the document that an image signature of cosign's older layout signs. */
export interface SimpleSigning {
  readonly digest: Digest;
  /** The reference that it was signed under, as the signer wrote it; cosign decides nothing by it, nor does this service. */
  readonly reference: string;
}

/** parseSimpleSigning reads such a document; null for what is none, or names no digest. */
export function parseSimpleSigning(payload: Uint8Array): SimpleSigning | null {
  const critical = asObject(parseJson(payload)?.critical);
  if (critical === null || !TYPES.includes(critical.type)) return null;
  const digest = asObject(critical.image)?.['docker-manifest-digest'];
  if (typeof digest !== 'string' || !isDigest(digest)) return null;
  const reference = asObject(critical.identity)?.['docker-reference'];
  return { digest, reference: typeof reference === 'string' ? reference : '' };
}
