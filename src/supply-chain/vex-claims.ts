import type { Digest } from '../base/index.ts';
import type { SignedEntry } from '../facts/index.ts';
import {
  claimsAbout,
  coverOf,
  isSuppressing,
  type DigestIndex,
  type VexClaim,
  type VexDocument,
} from '../vex/index.ts';
import type { CollectedVex, Problem, VexTally } from './collected.ts';
import { keepWithin, MAX_KEPT } from './payloads.ts';

/** VEX_REJECTIONS says why statements were read, or could not be, and do not count: the reasons of `svc_vex_rejected_total`. */
export const VEX_REJECTIONS = ['unreadable', 'unverified', 'other_image', 'no_digest', 'too_large'] as const;

/** VexRejection is one of them. */
export type VexRejection = (typeof VEX_REJECTIONS)[number];

/** SignedVex is a document that somebody signed: who, as identities or as bytes that a key must have signed. */
export interface SignedVex {
  /** Where it was found, for problems. */
  readonly where: string;
  readonly vex: VexDocument | DigestIndex;
  readonly by: 'identity' | 'key';
  readonly signed: readonly SignedEntry[];
  /** Whether a signed statement attaches it to the digest, as against a document of a configured source. */
  readonly attached: boolean;
}

/** VexFound is what signed documents say of one digest. */
export interface VexFound {
  readonly entries: readonly CollectedVex[];
  readonly problems: readonly Problem[];
  readonly tally: VexTally;
}

/**
 * vexOf gives the statements that signed documents make of a digest, of each CVE the newest by one producer: an identity with its issuer;
 * all that keys signed is taken as by one, since no key is known here and a newer statement can only take a suppression back. Only
 * `not_affected` and `fixed` are given; others never count.
 */
export function vexOf(digest: Digest, names: readonly string[], documents: readonly SignedVex[]): VexFound {
  const statements: Record<string, number> = {};
  const rejected: Record<string, number> = {};
  const problems: Problem[] = [];
  const byProducer = new Map<string, VexClaim[]>();
  for (const [i, document] of documents.entries()) {
    const { vex, attached } = document;
    const said = 'narrow' in vex ? vex.narrow(digest, names) : vex;
    const { claims, elsewhere, withoutDigest } = claimsAbout(said, { digest, names, attached }, i);
    for (const { status } of claims) statements[status] = (statements[status] ?? 0) + 1;
    // What a source publishes of all its products says nothing wrong by being about others.
    if (attached && elsewhere > 0) rejected.other_image = (rejected.other_image ?? 0) + elsewhere;
    if (withoutDigest > 0) {
      rejected.no_digest = (rejected.no_digest ?? 0) + withoutDigest;
      problems.push({
        where: document.where,
        reason: 'no_digest',
        message: `${withoutDigest} of its statements name the repository of the image without its digest, so they do not count`,
        leavesUnknown: false,
        mayPass: false,
      });
    }
    for (const producer of producersOf(document)) {
      const known = byProducer.get(producer);
      if (known === undefined) byProducer.set(producer, [...claims]);
      else for (const claim of claims) known.push(claim);
    }
  }
  const { within: entries, leftOut } = keepWithin(entriesOf(byProducer, documents));
  if (leftOut > 0) {
    rejected.too_large = leftOut;
    problems.push({
      where: digest,
      reason: 'too_large',
      message: `${leftOut} statements that keys signed are left out: their documents come to more than ${MAX_KEPT / 1_048_576} MiB, each statement with its document; sign keyless, or one document for each image`,
      leavesUnknown: false,
      mayPass: false,
    });
  }
  return { entries, problems, tally: { statements, rejected } };
}

function producersOf({ by, signed, attached }: SignedVex): readonly string[] {
  if (by === 'key') return [attached ? 'keys attached' : 'keys of sources'];
  return [...new Set(signed.map(({ identity, issuer }) => JSON.stringify([identity, issuer])))];
}

function entriesOf(
  byProducer: ReadonlyMap<string, readonly VexClaim[]>,
  documents: readonly SignedVex[],
): readonly CollectedVex[] {
  const entries: CollectedVex[] = [];
  for (const [producer, claims] of byProducer) {
    if (!claims.some(({ status }) => isSuppressing(status))) continue;
    for (const { id, status, parts, document } of coverOf(claims)) {
      for (const signer of documents[document]?.signed ?? []) {
        const isOther =
          signer.identity !== null && JSON.stringify([signer.identity, signer.issuer]) !== producer;
        if (!isOther) entries.push({ ...signer, cve: id, status, packages: parts });
      }
    }
  }
  return entries;
}
