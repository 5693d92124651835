import { hash } from 'node:crypto';
import { RegistryError } from '../../image/index.ts';

const LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** isReadable tells whether content of this digest can be checked, and so read. */
export function isReadable(digest: string): boolean {
  const [algorithm = '', hex = ''] = digest.split(':');
  return Object.hasOwn(LENGTHS, algorithm) && LENGTHS[algorithm] === hex.length && /^[0-9a-f]+$/.test(hex);
}

/** isContent tells whether bytes are those of a digest that isReadable. */
export function isContent(bytes: Uint8Array, digest: string): boolean {
  const [algorithm = '', hex = ''] = digest.split(':');
  return hash(algorithm, bytes, 'hex') === hex;
}

/** toReadable throws RegistryError `unsupported` for a digest whose content cannot be checked. */
export function assertReadable(digest: string): void {
  if (isReadable(digest)) return;
  throw new RegistryError('unsupported', 'content is named by a digest that is not sha256, sha384 or sha512');
}
