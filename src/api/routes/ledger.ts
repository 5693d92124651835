import { formatTime } from '../../base/index.ts';
import {
  proveConsistency,
  proveRow,
  rootAt,
  toBase64,
  TreeError,
  type AnchorStates,
  type LedgerReader,
  type LedgerTree,
  type SignedCheckpoint,
  type TreeStore,
} from '../../ledger/index.ts';
import {
  checkpointSchema,
  consistencyQuery,
  consistencySchema,
  LEDGER_PAGE,
  ledgerSchema,
  rowPath,
  rowSchema,
  rowsQuery,
  type CheckpointBody,
} from '../contract/ledger.ts';
import { listOf, pageSchema } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import { route, type Route } from '../route.ts';
import { attached, exportRoute, periodOf, type ExportRouteParts } from './ledger-export.ts';

/** LedgerParts are what the routes of the ledger act through. */
export interface LedgerParts extends ExportRouteParts {
  readonly ledger: LedgerReader;
  readonly tree: TreeStore;
  readonly signing: Pick<LedgerTree, 'checkpoint' | 'origin' | 'vkey'>;
  readonly anchors: Pick<AnchorStates, 'list'>;
  /** Rows that wait for the database, and whether more go there. */
  readonly spool: () => { readonly rows: number; readonly delayed: boolean };
}

const TEXT = 'text/plain; charset=utf-8';
const missing = { description: 'There is none', schema: problemSchema, type: 'application/problem+json' };

/** ledgerRoutes read the ledger: its rows, its tree and what proves them. */
export function ledgerRoutes(parts: LedgerParts): Route[] {
  return [...treeRoutes(parts), ...rowRoutes(parts), exportRoute(parts)];
}

function rowRoutes({ ledger, tree, signing, clock }: LedgerParts): Route[] {
  const rowOf = async (id: number) => {
    const row = await ledger.row(id);
    if (row === null)
      throw new TreeError('not_found', `no row has the number ${id}; the newest is ${await ledger.size()}`);
    return row;
  };
  return [
    route({
      key: 'GET /ledger/rows',
      id: 'listRows',
      tag: 'ledger',
      summary: 'List rows of the ledger, newest first',
      description: 'Always in pages; an export gives all rows.',
      query: rowsQuery,
      answers: { 200: { description: 'The rows', schema: listOf(rowSchema) } },
      work: 'read',
      handle: async ({ query }) => {
        const { limit = LEDGER_PAGE, offset = 0, break_glass: breakGlass, from, to, days, ...filter } = query;
        const period = periodOf({ from, to, days }, clock.now());
        const chosen = { ...filter, breakGlass, from: period.from ?? undefined, to: period.to ?? undefined };
        return { body: await ledger.list(chosen, { limit, offset }) };
      },
    }),
    route({
      key: 'GET /ledger/rows/{id}',
      id: 'showRow',
      tag: 'ledger',
      summary: 'Show one row',
      params: rowPath,
      answers: { 200: { description: 'The row', schema: rowSchema }, 404: missing },
      handle: async ({ params }) => ({ body: await rowOf(params.id) }),
    }),
    route({
      key: 'GET /ledger/rows/{id}/proof',
      id: 'proveRow',
      tag: 'ledger',
      summary: 'Prove that a row stands in the signed tree',
      description:
        'A `.tlog-proof` (c2sp.org/tlog-proof) that carries the row; `ipo ledger verify` verifies it without the service.',
      params: rowPath,
      answers: { 200: { description: 'The proof', type: TEXT }, 404: missing },
      handle: async ({ params: { id } }) => {
        const row = await rowOf(id);
        const newest = await tree.newestCheckpoint();
        const checkpoint = newest !== null && newest.size >= id ? newest : await signing.checkpoint();
        if (checkpoint === null) throw new TreeError('not_found', 'nothing is signed yet');
        const name = `row-${id}.tlog-proof`;
        return attached(name, { body: await proveRow(tree, row, checkpoint), type: TEXT });
      },
    }),
  ];
}

function treeRoutes(parts: LedgerParts): Route[] {
  const { tree } = parts;
  return [
    route({
      key: 'GET /ledger',
      id: 'showLedger',
      tag: 'ledger',
      summary: 'Show how the ledger stands: rows, tree, key, newest checkpoint, spool, anchors',
      answers: { 200: { description: 'The ledger', schema: ledgerSchema } },
      handle: async () => ({ body: await standingOf(parts) }),
    }),
    route({
      key: 'GET /ledger/checkpoint',
      id: 'showCheckpoint',
      tag: 'ledger',
      summary: 'Return the newest signed checkpoint, to store outside the service',
      answers: {
        200: { description: 'The signed note (c2sp.org/tlog-checkpoint)', type: TEXT },
        404: missing,
      },
      handle: async () => {
        const newest = await tree.newestCheckpoint();
        if (newest === null) throw new TreeError('not_found', 'nothing is signed yet');
        return { body: newest.note, type: TEXT };
      },
    }),
    route({
      key: 'GET /ledger/checkpoints',
      id: 'listCheckpoints',
      tag: 'ledger',
      summary: 'List signed checkpoints, newest first',
      query: pageSchema,
      answers: { 200: { description: 'The checkpoints', schema: listOf(checkpointSchema) } },
      work: 'read',
      handle: async ({ query: { limit = Number.MAX_SAFE_INTEGER, offset = 0 } }) => {
        const { items, total } = await tree.recentCheckpoints(limit, offset);
        return { body: { items: items.map(checkpointBody), total } };
      },
    }),
    route({
      key: 'GET /ledger/consistency',
      id: 'proveConsistency',
      tag: 'ledger',
      summary: 'Prove that the tree of one size extends that of another',
      query: consistencyQuery,
      answers: { 200: { description: 'The proof', schema: consistencySchema } },
      handle: async ({ query: { from, to } }) => {
        const end = to ?? (await tree.newestCheckpoint())?.size ?? 0;
        const size = await tree.size();
        if (from > end || end > size) {
          throw new TreeError(
            'out_of_range',
            `no proof exists from ${from} to ${end} rows: the tree has ${size}`,
          );
        }
        return { body: { from, to: end, proof: (await proveConsistency(tree, from, end)).map(toBase64) } };
      },
    }),
  ];
}

/** How the ledger stands now. */
async function standingOf({ tree, signing, spool, anchors }: LedgerParts) {
  const size = await tree.size();
  const newest = await tree.newestCheckpoint();
  const { rows, delayed } = spool();
  return {
    rows: await tree.rows(),
    tree_size: size,
    root: toBase64(await rootAt(tree, size)),
    origin: signing.origin,
    key: signing.vkey,
    checkpoint: newest === null ? null : checkpointBody(newest),
    spool: { rows, delayed },
    anchors: (await anchors.list()).map(({ sink, at, lastError, size: told, refused }) => ({
      name: sink,
      size: told,
      at: formatTime(at),
      last_error: lastError,
      refused,
    })),
  };
}

function checkpointBody({ size, root, at, note }: SignedCheckpoint): CheckpointBody {
  return { size, root: toBase64(root), at: formatTime(at), note };
}
