import { formatTime } from '../base/index.ts';
import { toImageFactsDocument, type ImageFacts } from '../facts/index.ts';
import type { LedgerRow } from './entry.ts';
import { EXPORT_FORMAT, type ExportHeader, type RecordedPolicy } from './export-format.ts';
import { sealDocument, treeDocument, type ExportSeal } from './range-proof.ts';

/** ExportParts are what an export is made from. Rows come newest first. */
export interface ExportParts {
  readonly header: ExportHeader;
  readonly policies: Iterable<RecordedPolicy>;
  readonly images: AsyncIterable<ImageFacts> | Iterable<ImageFacts>;
  readonly rows: AsyncIterable<readonly LedgerRow[]> | Iterable<readonly LedgerRow[]>;
  /** The signed checkpoint of the tree that the header tells of. */
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
    ...(header.tree ? { tree: treeDocument(header.tree) } : {}),
  });
  for (const { name, revision, current, document } of parts.policies) {
    yield line({ type: 'policy', name, revision, current, document });
  }
  for await (const image of parts.images) yield line({ type: 'image', ...toImageFactsDocument(image) });
  for await (const batch of parts.rows) yield batch.map(rowLine).join('');
  if (parts.seal) yield line({ type: 'checkpoint', ...sealDocument(parts.seal) });
}

/** Every field, in the order of the contract, so that two exports of one ledger are the same bytes. */
function rowLine(row: LedgerRow): string {
  return line({
    type: 'row',
    id: row.id,
    kind: row.kind ?? 'review',
    time: row.time,
    review_uid: row.review_uid ?? null,
    cluster: row.cluster ?? null,
    namespace: row.namespace ?? null,
    pod: row.pod ?? null,
    pod_uid: row.pod_uid ?? null,
    container: row.container ?? null,
    image: row.image ?? null,
    digest: row.digest ?? null,
    allowed: row.allowed,
    review_allowed: row.review_allowed ?? row.allowed,
    reason: row.reason,
    label: row.label ?? null,
    policy: row.policy ?? null,
    policy_revision: row.policy_revision ?? '',
    break_glass: row.break_glass ?? false,
    break_glass_reason: row.break_glass_reason ?? null,
    signals: row.signals ?? null,
    exposed_by: row.exposed_by ?? null,
    subresource: row.subresource ?? null,
    requester: row.requester ?? null,
    pod_level: row.pod_level ?? false,
    inputs: row.inputs ?? null,
  });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
