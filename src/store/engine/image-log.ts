import type { Insert } from '../sql/dialect.ts';
import type { Interned } from '../cells/intern.ts';

const NONE: readonly Insert[] = [];
/** This many milliseconds may pass before it is written again that an image or a name was seen, when nothing else is new. */
const STEP = 60_000;

const NEWEST =
  'on conflict (digest) do update set last_row_id = excluded.last_row_id, last_allowed = excluded.last_allowed';
/** LATER writes a name again that was seen later, or under which an image may be asked for from now on. */
export const LATER = `on conflict (digest, name) do update set
    last_seen_at = case when excluded.last_seen_at > image_names.last_seen_at then excluded.last_seen_at else image_names.last_seen_at end,
    not_asked = case when excluded.not_asked is null then null else image_names.not_asked end
  where excluded.last_seen_at > image_names.last_seen_at
    or (excluded.not_asked is null and image_names.not_asked is not null)`;

/** SeenImage is what was written of an image, and what the rows at hand say of it. */
class SeenImage {
  readonly digest: string;
  /** Whether its line is known to be there. */
  there = false;
  /** The verdict that was written last, with its time; null when it is not known. */
  allowed: boolean | null = null;
  at = 0;
  /** Of the group at hand: its number, the time of the first row, and the newest review (0: none). */
  group = 0;
  firstAt = 0;
  newestId = 0;
  newestAt = 0;
  newestAllowed = false;

  constructor(digest: string) {
    this.digest = digest;
  }
}

/** SeenShape is a shape with its image and the time at which its name was written last. */
export interface SeenShape {
  readonly shape: Interned;
  readonly image: SeenImage | null;
  namedAt: number;
}

/**
 * ImageLog keeps, in the transaction that appends rows, what is known of their images: that they were seen, under which names, and the
 * newest review with its verdict ("Blocked follows the last review"). A verdict that turns is written at once; that the same image was
 * admitted once more, once a minute at most: an image's line holds its findings, and a busy one would be rewritten with every group of
 * rows. What came last in a burst is written by the follower of the ledger (`sightings.ts`), not here.
 */
export class ImageLog {
  readonly #images = new Map<string, SeenImage>();
  #group = 0;

  /** Gives a shape what it needs here. */
  follow(shape: Interned): SeenShape {
    const { digest } = shape;
    let image = digest === null ? null : (this.#images.get(digest) ?? null);
    if (image === null && digest !== null) this.#images.set(digest, (image = new SeenImage(digest)));
    return { shape, image, namedAt: -Infinity };
  }

  /** Forgets the verdicts that it wrote, since another process wrote too, or the last write may not have been committed. */
  forget(): void {
    for (const image of this.#images.values()) image.allowed = null;
  }

  /** Forgets everything, for shapes that are followed no more. */
  clear(): void {
    this.#images.clear();
  }

  /** Gives what is to be written of what rows with ids from `first` say of images, in its order, and what is to be called after the commit. */
  plan(
    shapes: readonly SeenShape[],
    times: readonly number[],
    first: number,
  ): { readonly inserts: readonly Insert[]; readonly keep: () => void } {
    const { images, named } = this.#gather(shapes, times, first);
    if (named.length === 0 && !images.some((image) => isNews(image) || !image.there))
      return { inserts: NONE, keep: () => {} };
    // Sorted, so that two transactions lock images in one order.
    images.sort((a, b) => (a.digest < b.digest ? -1 : 1));
    const reviewed = images.filter(isNews);
    const others = images.filter(({ there, newestId }) => !there && newestId === 0);
    const names = new Map<string, [digest: string, name: string, at: number, notAsked: number | null]>();
    for (const [shape, at] of named) {
      const key = `${shape.digest} ${shape.name}`;
      const notAsked = isElsewhere(shape) && names.get(key)?.[3] !== null ? 1 : null;
      names.set(key, [shape.digest ?? '', shape.name ?? '', at, notAsked]);
    }
    const inserts: Insert[] = [
      {
        table: 'images',
        types: { digest: 'text', first_seen_at: 'integer' },
        rows: others.map(({ digest, firstAt }) => [digest, firstAt]),
        tail: 'on conflict (digest) do nothing',
      },
      {
        table: 'images',
        types: { digest: 'text', first_seen_at: 'integer', last_row_id: 'integer', last_allowed: 'integer' },
        rows: reviewed.map((image) => [
          image.digest,
          image.firstAt,
          image.newestId,
          image.newestAllowed ? 1 : 0,
        ]),
        tail: NEWEST,
      },
      {
        table: 'image_names',
        types: { digest: 'text', name: 'text', last_seen_at: 'integer', not_asked: 'integer' },
        // Sorted for the same reason: who follows the ledger holds names in this order too.
        rows: [...names].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, cells]) => cells),
        tail: LATER,
      },
    ];
    const keep = (): void => {
      for (const image of others) image.there = true;
      for (const image of reviewed) {
        image.there = true;
        image.allowed = image.newestAllowed;
        image.at = image.newestAt;
      }
      for (const [, at, seen] of named) seen.namedAt = at;
    };
    return { inserts: inserts.filter(({ rows }) => rows.length > 0), keep };
  }

  #gather(
    shapes: readonly SeenShape[],
    times: readonly number[],
    first: number,
  ): { readonly images: SeenImage[]; readonly named: (readonly [Interned, number, SeenShape])[] } {
    const images: SeenImage[] = [];
    const named: (readonly [Interned, number, SeenShape])[] = [];
    this.#group += 1;
    for (let i = 0; i < shapes.length; i += 1) {
      const seen = shapes[i] as SeenShape;
      const { image, shape } = seen;
      const at = times[i] as number;
      if (image === null) continue;
      if (image.group !== this.#group) {
        image.group = this.#group;
        image.firstAt = at;
        image.newestId = 0;
        images.push(image);
      }
      // A reconciliation judges again what runs; it is not a review.
      if (shape.row.kind === 'review') {
        image.newestId = first + i;
        image.newestAt = at;
        image.newestAllowed = shape.row.allowed;
      }
      if (shape.name !== null && at >= seen.namedAt + STEP) named.push([shape, at, seen]);
    }
    return { images, named };
  }
}

/**
 * A name is where scans and proofs of an image are looked for, but not one of a pod that was denied for its registry: otherwise anyone who
 * can create a pod could make the operator call any host.
 */
function isElsewhere({ row }: Interned): boolean {
  return row.kind === 'review' && !row.allowed && row.label === 'registry';
}

function isNews({ newestId, newestAllowed, newestAt, allowed, at }: SeenImage): boolean {
  return newestId > 0 && (allowed !== newestAllowed || Math.abs(newestAt - at) >= STEP);
}
