import { createHash, X509Certificate } from 'node:crypto';
import { RFC3161Timestamp } from '@sigstore/core';
import { IpoError } from '../../base/index.ts';

/** TIMESTAMP_FILE is the time stamp over the signature of `evidence.json`, as an authority answered it (RFC 3161). */
export const TIMESTAMP_FILE = 'evidence.tsr';

/** SHA-256 with its parameters, as an AlgorithmIdentifier. */
const SHA256 = Buffer.from('300d06096086480165030402010500', 'hex');
const VERSION = Buffer.from('020101', 'hex');
const WITH_CERTIFICATE = Buffer.from('0101ff', 'hex');

/** timestampRequest asks for a time stamp over bytes, with the certificate of the authority in the answer: a TimeStampReq in DER. */
export function timestampRequest(signature: Uint8Array): Buffer {
  const digest = createHash('sha256').update(signature).digest();
  const imprint = sequence(SHA256, Buffer.concat([Buffer.of(4, digest.length), digest]));
  return sequence(VERSION, imprint, WITH_CERTIFICATE);
}

/** Each part is so short that one byte says its length. */
function sequence(...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

/** Stamped is when an authority says that bytes were there. */
export interface Stamped {
  /** UTC milliseconds. */
  readonly at: number;
  /** Whether the authority's signature was verified. */
  readonly verified: boolean;
}

/**
 * readTimestamp reads the answer of an authority, which must be about these bytes. With the certificate of an authority its signature is
 * verified too. Throws IpoError `damaged` with what is wrong.
 */
export function readTimestamp(
  answer: Uint8Array,
  signature: Uint8Array,
  authorities: readonly string[],
): Stamped {
  const data = Buffer.from(signature);
  let stamp: RFC3161Timestamp;
  try {
    stamp = RFC3161Timestamp.parse(Buffer.from(answer));
    if (stamp.status !== 0n && stamp.status !== 1n) throw new Error(`status ${stamp.status}`);
    stamp.tstInfo.verify(data);
  } catch (cause) {
    throw new IpoError('damaged', 'the time stamp is not for the signature of evidence.json', { cause });
  }
  const at = stamp.signingTime.getTime();
  if (authorities.length === 0) return { at, verified: false };
  for (const pem of authorities) {
    try {
      stamp.verify(data, new X509Certificate(pem).publicKey);
      return { at, verified: true };
    } catch {
      // signed by another
    }
  }
  throw new IpoError('damaged', 'the time stamp is not signed by an authority that was given');
}
