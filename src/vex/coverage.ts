import { byCodeUnit } from '../base/index.ts';
import { concernOf, type VexTarget } from './concern.ts';
import { isSuppressing, type VexDocument, type VexStatus } from './statement.ts';

/** VexClaim is what a document says of one vulnerability in the image. */
export interface VexClaim {
  readonly id: string;
  readonly status: VexStatus;
  /** Milliseconds; null where the document gives no time. */
  readonly at: number | null;
  /** The part of the image, as a package URL or name; null for the image as a whole. */
  readonly part: string | null;
  /** Which of several documents says so. */
  readonly document: number;
}

/** VexClaims are what a document says of an image, and how many pairs of a statement and a product are about something else. */
export interface VexClaims {
  readonly claims: readonly VexClaim[];
  /** About other images or other things. */
  readonly elsewhere: number;
  /** About the repository of the image, without a digest, in a document that is not attached. */
  readonly withoutDigest: number;
}

/** claimsAbout gives what a document says of an image; `document` is the number under which the claims go. */
export function claimsAbout({ statements }: VexDocument, target: VexTarget, document = 0): VexClaims {
  const claims: VexClaim[] = [];
  let elsewhere = 0;
  let withoutDigest = 0;
  for (const { ids, status, at, products } of statements) {
    for (const product of products ?? [null]) {
      const concern = concernOf(product, target);
      if (concern.kind === 'no_digest') withoutDigest += 1;
      else if (concern.kind !== 'covers') elsewhere += 1;
      else
        for (const id of ids)
          for (const part of concern.parts ?? [null]) claims.push({ id, status, at, part, document });
    }
  }
  return { claims, elsewhere, withoutDigest };
}

/** VexCover is a vulnerability that statements take out of the image, or of parts of it. */
export interface VexCover {
  readonly id: string;
  readonly status: 'not_affected' | 'fixed';
  /** Package URLs or names; null for the image as a whole. */
  readonly parts: readonly string[] | null;
  /** The document that says so. */
  readonly document: number;
}

/** What stands of one vulnerability in the image as a whole, or in one part. */
type Standing = Pick<VexClaim, 'status' | 'at' | 'document'>;

/**
 * coverOf gives what the claims of one producer take out. The newest claim on a vulnerability in one part rules, and a newer one on the
 * image as a whole rules its parts; a part that is affected keeps the whole from being taken out, unless the whole is the newer. Of two of
 * one time, or without a time, the one that takes nothing out rules.
 */
export function coverOf(claims: readonly VexClaim[]): readonly VexCover[] {
  const covers: VexCover[] = [];
  for (const [id, about] of Map.groupBy(claims, (claim) => claim.id)) {
    const standing = new Map<string | null, Standing>();
    for (const claim of about) {
      const before = standing.get(claim.part);
      if (before === undefined || rules(claim, before)) standing.set(claim.part, claim);
    }
    covers.push(...coverOfOne(id, standing));
  }
  return covers.toSorted((a, b) => byCodeUnit(a.id, b.id) || byCodeUnit(a.status, b.status));
}

function coverOfOne(id: string, standing: Map<string | null, Standing>): readonly VexCover[] {
  const whole = standing.get(null);
  const parts = [...standing].filter((entry): entry is [string, Standing] => entry[0] !== null);
  const isTaken = ({ status }: Standing): boolean => isSuppressing(status);
  if (whole !== undefined && isTaken(whole)) {
    const against = parts.some(([, part]) => !isTaken(part) && rules(part, whole));
    const { status, document } = whole;
    if (!against) return [{ id, status: status as VexCover['status'], parts: null, document }];
  }
  const left = parts.filter(
    ([, part]) => isTaken(part) && (whole === undefined || isTaken(whole) || !rules(whole, part)),
  );
  const together = Map.groupBy(left, ([, { status, document }]) => `${status} ${document}`);
  return [...together.values()].flatMap((entries) => {
    const [first] = entries;
    if (first === undefined) return [];
    const { status, document } = first[1];
    const parts = entries.map(([part]) => part).toSorted(byCodeUnit);
    return [{ id, status: status as VexCover['status'], parts, document }];
  });
}

/** Whether a claim is stronger than another; a claim without a time is the oldest where it takes out, else the newest. */
function rules(claim: Standing, other: Standing): boolean {
  const [at, before] = [timeOf(claim), timeOf(other)];
  return at === before ? !isSuppressing(claim.status) : at > before;
}

function timeOf({ status, at }: Standing): number {
  return at ?? (isSuppressing(status) ? -Infinity : Infinity);
}
