import type { LedgerRow } from './entry.ts';
import { hashLeaf, type Hash } from './merkle.ts';

/**
 * LeafShape is the text of a leaf without the fields that set rows of one shape apart. A leaf is the RFC 8785 form of the row as an export
 * writes it, without `type`: its keys stand in the order of their code units, so only the fields of a row fall between these parts.
 */
export interface LeafShape {
  readonly toId: string;
  readonly toPod: string;
  readonly toPodUid: string;
  readonly toRequester: string;
  readonly toReviewUid: string;
  readonly toTime: string;
}

/** LeafRow is what a row has of its own. */
export type LeafRow = Pick<LedgerRow, 'id' | 'time' | 'pod' | 'pod_uid' | 'requester' | 'review_uid'>;

/** toLeafShape writes the parts of a leaf that rows share; the fields of LeafRow are not read. */
export function toLeafShape(row: Omit<LedgerRow, keyof LeafRow>): LeafShape {
  const { signals = null } = row;
  return {
    toId:
      `{"allowed":${row.allowed},"break_glass":${row.break_glass ?? false}` +
      `,"break_glass_reason":${quoted(row.break_glass_reason)}` +
      `${row.clock_suspect === true ? ',"clock_suspect":true' : ''},"cluster":${quoted(row.cluster)}` +
      `,"container":${quoted(row.container)},"digest":${quoted(row.digest)}` +
      `,"exposed_by":${quoted(row.exposed_by)},"id":`,
    toPod:
      `,"image":${quoted(row.image)},"inputs":${quoted(row.inputs)},"kind":${quoted(row.kind ?? 'review')}` +
      `,"label":${quoted(row.label)},"namespace":${quoted(row.namespace)}` +
      `${row.platform ? `,"platform":${quoted(row.platform)}` : ''},"pod":`,
    toPodUid: `,"pod_level":${row.pod_level ?? false},"pod_uid":`,
    toRequester:
      `,"policy":${quoted(row.policy)},"policy_revision":${quoted(row.policy_revision ?? '')}` +
      `,"reason":${quoted(row.reason)},"requester":`,
    toReviewUid: `,"review_allowed":${row.review_allowed ?? row.allowed},"review_uid":`,
    toTime:
      `,"signals":${signals === null ? 'null' : `[${signals.map(quoted).join()}]`}` +
      `,"subresource":${quoted(row.subresource)},"time":`,
  };
}

/** leafTextOf joins a shape with the fields of one row. */
export function leafTextOf(shape: LeafShape, row: LeafRow): string {
  return joinLeaf(
    shape,
    row.id,
    quoted(row.pod),
    quoted(row.pod_uid),
    quoted(row.requester),
    quoted(row.review_uid),
    quoted(row.time),
  );
}

/** joinLeaf does the same with the JSON texts of the fields, for callers that have them already. */
function joinLeaf(
  shape: LeafShape,
  id: number,
  pod: string,
  podUid: string,
  requester: string,
  reviewUid: string,
  time: string,
): string {
  return (
    shape.toId +
    String(id) +
    shape.toPod +
    pod +
    shape.toPodUid +
    podUid +
    shape.toRequester +
    requester +
    shape.toReviewUid +
    reviewUid +
    shape.toTime +
    time +
    '}'
  );
}

/** leafText gives the text of a row's leaf: equal to `canonicalJson` of its export line without `type`. */
export function leafText(row: LedgerRow): string {
  return leafTextOf(toLeafShape(row), row);
}

/** leafHash gives the hash that stands for a row in the tree. */
export function leafHash(row: LedgerRow): Hash {
  return hashLeaf(leafText(row));
}

/** JSON's form of a text is that of RFC 8785; half a surrogate pair stays an escape, as in `canonicalJson`. */
function quoted(text: string | null | undefined): string {
  return text === null || text === undefined ? 'null' : JSON.stringify(text);
}
