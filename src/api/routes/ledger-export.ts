import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { AuditLog, Principal } from '../../accounts/index.ts';
import { DAY_MS, formatTime, IpoError, type Clock } from '../../base/index.ts';
import {
  exportLines,
  type ColdImagePolicy,
  type LedgerExporter,
  type LedgerTree,
  type TreeReader,
} from '../../ledger/index.ts';
import { exportQuery } from '../contract/ledger.ts';
import { route, type Route, type RouteAnswer } from '../route.ts';

/** ExportRouteParts are what an export is made and recorded with. */
export interface ExportRouteParts {
  readonly tree: TreeReader;
  readonly signing: Pick<LedgerTree, 'checkpoint' | 'vkey'>;
  readonly exporter: LedgerExporter;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly coldImagePolicy: ColdImagePolicy;
  /** Name of the cluster, for the header of an export. */
  readonly cluster: string | null;
}

const NDJSON = 'application/x-ndjson';

/** exportRoute streams an export; the audit entry is durable before the first byte. */
export function exportRoute({
  tree,
  signing,
  exporter,
  audit,
  clock,
  coldImagePolicy,
  cluster,
}: ExportRouteParts): Route {
  return route({
    key: 'GET /ledger/export',
    id: 'exportLedger',
    tag: 'ledger',
    summary: 'Export the ledger, or a period of it, with all that a replay and a verification need',
    description: 'NDJSON in the format `ipo.ledger/1`, newest row first; it ends with the signed checkpoint.',
    query: exportQuery,
    answers: { 200: { description: 'The export', type: NDJSON, otherTypes: ['application/gzip'] } },
    work: 'export',
    handle: async ({ query, principal, path, headers, signal }) => {
      const at = clock.now();
      const { from, to } = periodOf(query, at);
      const checkpoint = await signing.checkpoint();
      const request = { at, cluster, coldImagePolicy, from, to };
      const proved = checkpoint === null ? null : { checkpoint, key: signing.vkey, tiles: tree };
      const made = await exporter({ ...request, tree: proved });
      const { accountId, name } = principal as Principal;
      await audit.record({
        actor: { accountId, name },
        action: 'ledger_export',
        target: null,
        path,
        detail: {
          from: from === null ? null : formatTime(from),
          to: to === null ? null : formatTime(to),
          rows: made.header.rows,
          size: checkpoint?.size ?? 0,
        },
      });
      const lines = Readable.from(paced(exportLines(made), signal), {
        objectMode: false,
        highWaterMark: 65_536,
      });
      const day = formatTime(at).slice(0, 10);
      if (query.format === 'gz')
        return attached(`ledger-${day}.ndjson.gz`, { stream: gzipped(lines), type: 'application/gzip' });
      const answer = attached(`ledger-${day}.ndjson`, { stream: lines, type: NDJSON });
      if (query.format === 'ndjson' || !takesGzip(headers['accept-encoding'])) return answer;
      const encoded = { ...answer.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' };
      return { ...answer, stream: gzipped(lines), headers: encoded };
    },
  });
}

/** periodOf gives the closed period that is asked for; null is open. Throws `invalid_request` for one that cannot be. */
export function periodOf(
  {
    from,
    to,
    days,
  }: {
    readonly from?: number | undefined;
    readonly to?: number | undefined;
    readonly days?: number | undefined;
  },
  now: number,
): { readonly from: number | null; readonly to: number | null } {
  if (days !== undefined && (from !== undefined || to !== undefined))
    throw new IpoError('invalid_request', 'days and from or to are both given', {
      hint: 'Give days, or the ends of the period',
    });
  if (from !== undefined && to !== undefined && from > to)
    throw new IpoError('invalid_request', 'the period ends before it begins', {
      hint: 'Give from before to',
    });
  if (days !== undefined) return { from: now - days * DAY_MS, to: now };
  return { from: from ?? null, to: to ?? null };
}

/** An embedded database answers at once, so the loop that serves everybody else is given a turn after each batch. */
async function* paced(
  blocks: AsyncIterable<string>,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const block of blocks) {
    if (signal.aborted) return;
    yield Buffer.from(block);
    await nextTurn();
  }
}

function gzipped(lines: Readable): Readable {
  const gzip = createGzip();
  lines.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => lines.destroy());
  return lines.pipe(gzip);
}

function takesGzip(accept: string | readonly string[] | undefined): boolean {
  return String(accept ?? '')
    .split(',')
    .some((coding) => /^\s*(gzip|\*)\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/i.test(coding));
}

/** attached gives an answer the name of the file that it is saved as. */
export function attached(name: string, answer: RouteAnswer): RouteAnswer {
  return { ...answer, headers: { 'content-disposition': `attachment; filename="${name}"` } };
}
