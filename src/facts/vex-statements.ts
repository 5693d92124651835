import type { Digest } from '../base/index.ts';
import {
  claimsAbout,
  coverOf,
  coversPackage,
  toVexDocument,
  type VexCover,
  type VexPackage,
} from '../vex/index.ts';
import { namesDigest, parseJson } from './payload.ts';

/**
 * statesVex tells whether a signed VEX document (OpenVEX, CSAF or CycloneDX), bare or as the predicate of an in-toto statement, says that
 * this CVE has this status on this digest, in `found` where that is given, else in the image as a whole. Of several statements the newest
 * rules; one whose products name other digests is about another image, and without a statement that names the digest a product must.
 */
export function statesVex(
  payload: Buffer,
  digest: Digest,
  cve: string,
  status: string,
  found: VexPackage | null,
): boolean {
  return coversIn(payload, digest).some(
    (cover) => cover.id === cve && cover.status === status && isCovered(cover.parts, cover.except, found),
  );
}

/** isCovered tells whether what a statement is limited to is what was found; where that is not said, only the image as a whole is. */
export function isCovered(
  parts: readonly string[] | null,
  except: readonly string[] | null | undefined,
  found: VexPackage | null,
): boolean {
  if (found === null) return parts === null && (except ?? []).length === 0;
  return coversPackage(parts, found, except ?? null);
}

/** Entries of one document stand together, and each has all of it: so it is read once. */
let last: { readonly payload: Buffer; readonly digest: Digest; readonly covers: readonly VexCover[] } | null =
  null;

function coversIn(payload: Buffer, digest: Digest): readonly VexCover[] {
  if (last === null || last.digest !== digest || !last.payload.equals(payload))
    last = { payload, digest, covers: readCovers(payload, digest) };
  return last.covers;
}

function readCovers(payload: Buffer, digest: Digest): readonly VexCover[] {
  const document = parseJson(payload);
  if (document === null) return [];
  const attached = typeof document.predicateType === 'string';
  if (attached && !namesDigest(payload, digest)) return [];
  const vex = toVexDocument(attached ? document.predicate : document);
  // By which names the image goes was looked at when the statement was recorded.
  return 'fault' in vex ? [] : coverOf(claimsAbout(vex, { digest, names: [], attached }).claims);
}
