import type { AuditLog, Principal } from '../../accounts/index.ts';
import type { Clock } from '../../base/index.ts';
import { isDigest, type Digest } from '../../base/index.ts';
import { toImageFactsDocument } from '../../facts/index.ts';
import type { ImageQuery, Images } from '../../inventory/index.ts';
import { ScanError, type ScanQueue } from '../../scan/index.ts';
import type { CollectionState } from '../../supply-chain/index.ts';
import {
  decidedFromSchema,
  imageDetailSchema,
  imageListSchema,
  imagePath,
  imagesQuery,
  scanRequestedSchema,
  scanRequestSchema,
} from '../contract/images.ts';
import { toImageDetail, toImageItem, toScanFailure } from '../image-bodies.ts';
import { route, type Route } from '../route.ts';

/** ImageParts are what the routes of images act through. */
export interface ImageParts {
  readonly images: Images;
  readonly scanQueue: Pick<ScanQueue, 'request'>;
  /** How looking for what is signed and stated stands; absent, nobody looks. */
  readonly collected?: (digest: Digest) => Promise<CollectionState | null>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

/** imageRoutes list images with their states, show one, and ask for scans. */
export function imageRoutes(parts: ImageParts): Route[] {
  const { images, collected, clock } = parts;
  return [
    route({
      key: 'GET /images',
      id: 'listImages',
      tag: 'images',
      summary: 'List images with their states',
      description: 'Each image is in exactly one of four states; `states` counts them all.',
      query: imagesQuery,
      answers: { 200: { description: 'The images', schema: imageListSchema } },
      work: 'read',
      handle: async ({ query: { filter, q, sort = 'attention', order, limit, offset } }) => {
        const query: ImageQuery = {
          state: filter ?? null,
          search: q ?? null,
          sort,
          descending: (order ?? (sort === 'name' ? 'asc' : 'desc')) === 'desc',
          limit: limit ?? null,
          offset: offset ?? 0,
        };
        const { items, total, states } = await images.list(query);
        return { body: { items: items.map(toImageItem), total, states } };
      },
    }),
    route({
      key: 'GET /images/{digest}',
      id: 'showImage',
      tag: 'images',
      summary: 'Show all that is known of an image',
      params: imagePath,
      answers: { 200: { description: 'The image', schema: imageDetailSchema } },
      work: 'read',
      handle: async ({ params }) => {
        const detail = await images.detail(params.digest);
        const state = (await collected?.(detail.record.digest)) ?? null;
        return { body: toImageDetail(detail, clock.now(), state) };
      },
    }),
    route({
      key: 'GET /images/{digest}/facts',
      id: 'showImageFacts',
      tag: 'images',
      summary: 'Show what an image is decided from',
      description:
        'The recorded facts with their proofs, so that a decision can be made elsewhere by the same function, as `ipo check` does.',
      params: imagePath,
      answers: { 200: { description: 'The facts', schema: decidedFromSchema } },
      work: 'read',
      handle: async ({ params }) => {
        const { facts, coldImagePolicy, failures } = await images.decidedFrom(params.digest);
        return {
          body: {
            cold_image_policy: coldImagePolicy,
            image: toImageFactsDocument(facts),
            scan_failures: failures.map(toScanFailure),
          },
        };
      },
    }),
    route({
      key: 'POST /images/scan',
      id: 'requestScans',
      tag: 'images',
      summary: 'Ask for scans of up to 500 images',
      description:
        'What waits already stays where it is in the queue; one that waits out a fault is due again at once.',
      body: scanRequestSchema,
      answers: { 200: { description: 'What became of each digest', schema: scanRequestedSchema } },
      handle: async ({ body, principal, path }) => {
        checkDigests(body.digests);
        const call = { principal: principal as Principal, path };
        const { queued, alreadyQueued, unknown } = await requestScans(parts, body.digests, call);
        return { body: { queued, already_queued: alreadyQueued, unknown } };
      },
    }),
  ];
}

function requestScans(
  { scanQueue, audit, clock, together }: ImageParts,
  digests: readonly string[],
  { principal, path }: { readonly principal: Principal; readonly path: string },
): ReturnType<ScanQueue['request']> {
  const { accountId, name } = principal;
  return together(async () => {
    const made = await scanQueue.request(digests, `user:${accountId}`, clock.now());
    await audit.record({
      actor: { accountId, name },
      action: 'rescan',
      target: digests.length === 1 ? (digests[0] ?? null) : null,
      path,
      detail: {
        queued: made.queued,
        already_queued: made.alreadyQueued.length,
        unknown: made.unknown.length,
      },
    });
    return made;
  });
}

function checkDigests(digests: readonly string[]): void {
  const fields = digests.flatMap((digest, i) =>
    isDigest(digest)
      ? []
      : [{ path: `digests[${i}]`, message: 'is not sha256: with 64 lowercase hex digits' }],
  );
  const [first] = fields;
  if (first !== undefined)
    throw new ScanError('invalid_request', `${first.path} ${first.message}`, {
      fields: fields.slice(0, 100),
    });
}
