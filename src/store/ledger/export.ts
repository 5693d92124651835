import { sql } from 'kysely';
import { byCodeUnit, formatTime } from '../../base/index.ts';
import { parseImageFacts, type ImageFacts } from '../../facts/index.ts';
import {
  digestOfRow,
  proveRange,
  type ExportParts,
  type ExportRequest,
  type InForce,
  type RowRange,
} from '../../ledger/index.ts';
import { historyReader } from '../history/index.ts';
import { ledgerReader } from './rows.ts';
import { inLists } from '../sql/marks.ts';
import { recordedPolicies } from './recorded-policies.ts';
import { ShapeSet } from '../cells/shape-set.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/**
 * ledgerExport gives the parts of an export: the rows of a period that the checkpoint covers, the policies that they name and those in
 * effect, and the facts of their images. Memory is that of the digests, whatever the number of rows. Two exports of one ledger at one time
 * are the same bytes, whichever engine holds it.
 */
export async function ledgerExport(store: Store, request: ExportRequest): Promise<ExportParts> {
  const reader = ledgerReader(store);
  const { tree } = request;
  const range = within(await reader.rangeOf(request.from, request.to), tree?.checkpoint.size ?? null);
  const shapes = await ShapeSet.of(store, range);
  const revisions = new Set<string>();
  const digests = new Set<string>();
  for await (const shape of shapes.read(store, ['image', 'digest', 'policy_revision'])) {
    revisions.add(shape.policy_revision);
    const digest = digestOfRow(shape);
    if (digest !== null) digests.add(digest);
  }
  const stays = await staysIn(store, request);
  const policies = await recordedPolicies(store);
  const images = await withFacts(store, [...digests].toSorted(byCodeUnit));
  const proof =
    tree === null ? null : await proveRange(tree.tiles, tree.checkpoint, tree.key, range.first, range.last);
  return {
    header: {
      exportedAt: request.at,
      cluster: request.cluster,
      coldImagePolicy: request.coldImagePolicy,
      rows: range.last - range.first + 1,
      images: images.length,
      from: request.from === null ? null : formatTime(request.from),
      to: request.to === null ? null : formatTime(request.to),
      tree: proof?.tree ?? null,
    },
    // Of one revision under several names all are there, so that the first of them is the same one as in the store.
    policies: policies.flatMap((policy) => {
      const { name, revision, current } = policy;
      const inForce = stays.get(JSON.stringify([name, revision]));
      if (inForce === undefined && !current && !revisions.has(revision)) return [];
      return [
        inForce === undefined ? policy : { name, revision, current, document: policy.document, inForce },
      ];
    }),
    images: readFacts(store, images),
    rows: reader.newestFirst(range),
    seal: proof?.seal ?? null,
  };
}

/** When revisions were in effect that were so at some time of the period, by name and revision. */
async function staysIn(store: Store, { from, to }: ExportRequest): Promise<Map<string, InForce[]>> {
  const stays = await historyReader(store).policies(from ?? 0, to ?? Number.MAX_SAFE_INTEGER);
  const known = new Map<string, InForce[]>();
  for (const { name, revision, from: since, until } of stays) {
    const key = JSON.stringify([name, revision]);
    known.set(key, [...(known.get(key) ?? []), { from: since, until }]);
  }
  return known;
}

function within({ first, last }: RowRange, size: number | null): RowRange {
  const end = size === null ? last : Math.min(last, size);
  return first > end ? { first: 1, last: 0 } : { first, last: end };
}

/** The digests of which something is recorded, in their order. */
async function withFacts(store: Store, digests: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      store.read,
      sql<
        Row<'images', 'digest'>
      >`select digest from images where facts is not null and digest in (${marks})`,
    );
    for (const { digest } of rows) found.add(digest);
  }
  return digests.filter((digest) => found.has(digest));
}

async function* readFacts(
  store: Store,
  digests: readonly string[],
): AsyncGenerator<ImageFacts, void, undefined> {
  for (const digest of digests) {
    const [image] = await run(
      store.read,
      sql<Row<'images', 'facts'>>`select facts from images where digest = ${digest}`,
    );
    if (image !== undefined && image.facts !== null) yield parseImageFacts(JSON.parse(image.facts));
  }
}
