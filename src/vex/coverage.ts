import { byCodeUnit } from '../base/index.ts';
import { concernOf, type VexTarget } from './concern.ts';
import { isLimited } from './limited.ts';
import { parsePurl } from './purl.ts';
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
  /** Those of which something else is said, which a package that is covered must not be; left out for none. */
  readonly except?: readonly string[];
  /** The document that says so. */
  readonly document: number;
}

/** What stands of one vulnerability in the image as a whole, or in one part. */
type Standing = Pick<VexClaim, 'status' | 'at' | 'document'>;

/**
 * coverOf gives what the claims of one producer take out. The newest claim on a vulnerability in one part rules, and a newer one on the
 * image as a whole rules its parts; a part that is affected keeps the whole from being taken out, unless the whole is the newer. Of two of
 * one time, or without a time, the one that takes nothing out rules, unless it is about every version and the other about some. Parts that
 * are written otherwise may be one package (`musl`, and `musl` in a range of versions): so each cover says what it is not about.
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
  const against = Map.groupBy(
    parts.filter(([, part]) => !isTaken(part)),
    ([part]) => packageKey(part),
  );
  const together = Map.groupBy(
    left.map(([part, standing]) => ({ part, standing, except: exceptions(part, standing, against) })),
    ({ standing: { status, document }, except }) => JSON.stringify([status, document, except]),
  );
  return [...together.values()].flatMap((entries) => {
    const [first] = entries;
    if (first === undefined) return [];
    const { standing, except } = first;
    const covered = entries.map(({ part }) => part).toSorted(byCodeUnit);
    return [
      {
        id,
        status: standing.status as VexCover['status'],
        parts: covered,
        ...(except.length === 0 ? {} : { except }),
        document: standing.document,
      },
    ];
  });
}

/** Of the same package, or of what cannot be told to be another: the parts of which something else is said that rules. */
function exceptions(
  part: string,
  standing: Standing,
  against: ReadonlyMap<string, readonly (readonly [string, Standing])[]>,
): readonly string[] {
  const key = packageKey(part);
  const others =
    key === UNREADABLE
      ? [...against.values()].flat()
      : [key, UNREADABLE].flatMap((one) => against.get(one) ?? []);
  return others
    .filter(([other, { status, at }]) => {
      if (!rules({ ...standing, status, at }, standing)) return false;
      const sameTime = at === standing.at;
      return !(sameTime && isAboutSome(part) && !isAboutSome(other));
    })
    .map(([other]) => other)
    .toSorted(byCodeUnit);
}

const UNREADABLE = '';

/** By what two parts can be of one package: the last segment of its name, since a part may be a name without a type. */
function packageKey(part: string): string {
  const purl = parsePurl(part);
  if (purl === null && /^pkg:/i.test(part)) return UNREADABLE;
  const name = purl?.name ?? part.slice(Math.max(part.lastIndexOf('/'), part.lastIndexOf(':')) + 1);
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function isAboutSome(part: string): boolean {
  const purl = parsePurl(part);
  return purl !== null && isLimited(purl);
}

/** Whether a claim is stronger than another; a claim without a time is the oldest where it takes out, else the newest. */
function rules(claim: Standing, other: Standing): boolean {
  const [at, before] = [timeOf(claim), timeOf(other)];
  return at === before ? !isSuppressing(claim.status) : at > before;
}

function timeOf({ status, at }: Standing): number {
  return at ?? (isSuppressing(status) ? -Infinity : Infinity);
}
