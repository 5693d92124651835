import type { Digest } from '../base/index.ts';
import type { SignedEntry } from '../facts/index.ts';
import {
  claimsAbout,
  countStatements,
  coverOf,
  isSuppressing,
  MAX_STATEMENTS,
  type DigestIndex,
  type VexClaim,
  type VexDocument,
} from '../vex/index.ts';
import { vexKey, type CollectedVex, type Problem, type VexTally } from './collected.ts';
import { keepWithin, MAX_KEPT } from './payloads.ts';

/** VEX_REJECTIONS says why statements were read, or could not be, and do not count: the reasons of `svc_vex_rejected_total`. */
const VEX_REJECTIONS = ['unreadable', 'unverified', 'other_image', 'no_digest', 'too_large'] as const;

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
  /** False where a document that is attached was left out: it may take a statement back. */
  readonly complete: boolean;
  /** What a producer no longer takes out by what was read, by `vexKey`. */
  readonly takenBack: ReadonlySet<string>;
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
  const tooMuch = beyond(documents);
  for (const [i, document] of documents.entries()) {
    if (tooMuch.has(document)) continue;
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
  if (tooMuch.size > 0) {
    rejected.too_large = tooMuch.size;
    problems.push({
      where: digest,
      reason: 'too_large',
      message: `${tooMuch.size} of the VEX documents that are attached are left out: together they make more than ${MAX_STATEMENTS} statements`,
      leavesUnknown: true,
      mayPass: false,
    });
  }
  const { within: entries, leftOut } = keepWithin(entriesOf(byProducer, documents));
  if (leftOut > 0) {
    rejected.too_large = (rejected.too_large ?? 0) + leftOut;
    problems.push({
      where: digest,
      reason: 'too_large',
      message: `${leftOut} statements are left out: all come to more than ${MAX_KEPT / 1_048_576} MiB, one that a key signed with its document; sign keyless, or one document for each image`,
      leavesUnknown: false,
      mayPass: false,
    });
  }
  return {
    entries,
    problems,
    tally: { statements, rejected },
    complete: tooMuch.size === 0,
    takenBack: takenBackBy(byProducer),
  };
}

/**
 * What is attached beyond MAX_STATEMENTS, the largest first: anybody who can push can attach documents that are small and say much. Those of
 * sources are bounded one by one, and searched for the digest.
 */
function beyond(documents: readonly SignedVex[]): ReadonlySet<SignedVex> {
  const sized = documents.flatMap((document) =>
    !document.attached || 'narrow' in document.vex ? [] : [{ document, size: countStatements(document.vex) }],
  );
  let sum = 0;
  const over = sized.toSorted((a, b) => a.size - b.size).filter(({ size }) => (sum += size) > MAX_STATEMENTS);
  return new Set(over.map(({ document }) => document));
}

function producersOf({ by, signed, attached }: SignedVex): readonly string[] {
  if (by === 'key') return [attached ? 'keys attached' : 'keys of sources'];
  return [...new Set(signed.map(({ identity, issuer }) => JSON.stringify([identity, issuer])))];
}

/** The vulnerabilities of which a producer says something and, the newest ruling, takes nothing out. */
function takenBackBy(byProducer: ReadonlyMap<string, readonly VexClaim[]>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const [producer, claims] of byProducer) {
    const taken = new Set(coverOf(claims).map(({ id }) => id));
    const [identity, issuer] = (producer.startsWith('[') ? JSON.parse(producer) : [null, null]) as [
      string | null,
      string | null,
    ];
    for (const { id } of claims) if (!taken.has(id)) keys.add(vexKey({ identity, issuer, cve: id }));
  }
  return keys;
}

function entriesOf(
  byProducer: ReadonlyMap<string, readonly VexClaim[]>,
  documents: readonly SignedVex[],
): readonly CollectedVex[] {
  const entries: CollectedVex[] = [];
  // Who says little first, so that nobody's statements crowd out those of others.
  for (const [producer, claims] of [...byProducer].toSorted(([, a], [, b]) => a.length - b.length)) {
    if (!claims.some(({ status }) => isSuppressing(status))) continue;
    for (const { id, status, parts, except, document } of coverOf(claims)) {
      for (const signer of documents[document]?.signed ?? []) {
        const isOther =
          signer.identity !== null && JSON.stringify([signer.identity, signer.issuer]) !== producer;
        if (!isOther) {
          const limits = except === undefined ? {} : { except };
          entries.push({ ...signer, cve: id, status, packages: parts, ...limits });
        }
      }
    }
  }
  return entries;
}
