import { formatTime } from '../base/index.ts';
import { toImageFactsDocument, type ImageFacts } from '../facts/index.ts';
import { wholeRow, type LedgerRow } from './entry.ts';
import { EXPORT_FORMAT, type ExportHeader, type RecordedPolicy } from './export-format.ts';
import { sealDocument, treeDocument, type ExportSeal } from './range-proof.ts';

/** ExportParts are what an export is made from. Rows come newest first. */
export interface ExportParts {
  readonly header: ExportHeader;
  readonly policies: Iterable<RecordedPolicy>;
  readonly images: AsyncIterable<ImageFacts> | Iterable<ImageFacts>;
  readonly rows: AsyncIterable<readonly LedgerRow[]> | Iterable<readonly LedgerRow[]>;
  /** The signed checkpoint of the tree that the header reports. */
  readonly seal?: ExportSeal | null;
}

/** exportLines writes an export as text blocks of whole lines; memory is bounded by one batch of rows. */
export async function* exportLines(parts: ExportParts): AsyncGenerator<string, void, undefined> {
  const { header } = parts;
  yield line({
    type: 'header',
    format: EXPORT_FORMAT,
    exported_at: formatTime(header.exportedAt),
    cluster: header.cluster,
    cold_image_policy: header.coldImagePolicy,
    rows: header.rows,
    images: header.images,
    from: header.from,
    to: header.to,
    ...(header.source && { source: header.source, lacks: header.lacks ?? [] }),
    ...(header.tree ? { tree: treeDocument(header.tree) } : {}),
  });
  for (const { name, revision, current, document, inForce } of parts.policies) {
    const stays = inForce?.map(({ from, until }) => ({
      from: formatTime(from),
      until: until === null ? null : formatTime(until),
    }));
    yield line({ type: 'policy', name, revision, current, ...(stays && { in_force: stays }), document });
  }
  for await (const image of parts.images) yield line({ type: 'image', ...toImageFactsDocument(image) });
  for await (const batch of parts.rows) yield batch.map(rowLine).join('');
  if (parts.seal) yield line({ type: 'checkpoint', ...sealDocument(parts.seal) });
}

/** Every field, so that two exports of one ledger are the same bytes. */
function rowLine(row: LedgerRow): string {
  return line({ type: 'row', ...wholeRow(row.id, row) });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
