import { IpoError, parseTime, type ErrorPlace } from '../base/index.ts';
import { parseTree, type ExportTree } from './range-proof.ts';

/** EXPORT_FORMAT names the version of the export that is read and written here. */
export const EXPORT_FORMAT = 'ipo.ledger/1';

/** ColdImagePolicy is the installation's answer to an image that was never scanned. */
export type ColdImagePolicy = 'AllowAndScan' | 'DenyUntilScanned';

/** LedgerError says why an export cannot be read, with the line. */
export class LedgerError extends IpoError {
  override readonly name = 'LedgerError';
  /** Lines before the fault that were good. */
  readonly goodLines: number;
  constructor(
    code: 'damaged' | 'truncated' | 'format' | 'empty',
    message: string,
    place: ErrorPlace & { readonly line: number },
    hint?: string,
    cause?: unknown,
  ) {
    const good = place.line - 1;
    const before = good === 1 ? '; line 1 is valid' : `; lines 1 to ${good} are valid`;
    super(code, `${message}${good === 0 ? '' : before}`, { place, hint, cause });
    this.goodLines = good;
  }
}

/** ExportHeader is the first line of an export. */
export interface ExportHeader {
  /** Milliseconds; the default `as_of` of a replay. */
  readonly exportedAt: number;
  readonly cluster: string | null;
  readonly coldImagePolicy: ColdImagePolicy;
  /** How many row and image lines follow; null where the writer did not say. */
  readonly rows: number | null;
  readonly images: number | null;
  readonly from: string | null;
  readonly to: string | null;
  /** What it was made from, where that is not a ledger; absent or null for one. */
  readonly source?: LedgerSource | null;
  /** What that source could not tell, beside what it never can. */
  readonly lacks?: readonly SourceLack[];
  /** How the rows stand in the tree of the ledger; absent or null in an export without it. */
  readonly tree?: ExportTree | null;
}

/** RecordedPolicy is one revision of a policy as a ledger keeps it. */
export interface RecordedPolicy {
  readonly name: string;
  /** Taken as given. */
  readonly revision: string;
  /** Whether it is the policy in effect. */
  readonly current: boolean;
  /** The policy document, of whatever release. */
  readonly document: unknown;
  /** When it was in effect: milliseconds, null while it is; absent where that was not recorded. */
  readonly inForce?: readonly InForce[];
}

/** InForce is a time during which a revision was in effect. */
export interface InForce {
  readonly from: number;
  readonly until: number | null;
}

/** LedgerSource is what an export was made from instead of a ledger: an API server's audit log, or a list of pods. */
export type LedgerSource = 'audit' | 'pods';

/** SourceLack is something that could have been given and was not: Services and Ingresses, or the rest of a list that is cut. */
export type SourceLack = 'exposure' | 'rest_of_list';

type Json = Readonly<Record<string, unknown>>;

/** parseHeader reads the first line's value. Throws an Error whose message says what is wrong. */
export function parseHeader(line: Json): ExportHeader {
  if (line.type !== 'header') throw new Error('the first line is not the header of a ledger export');
  if (line.format !== EXPORT_FORMAT) {
    const found = typeof line.format === 'string' ? `"${line.format.slice(0, 40)}"` : 'missing';
    throw new Error(`the format is ${found}; this release reads "${EXPORT_FORMAT}"`);
  }
  const exportedAt = typeof line.exported_at === 'string' ? parseTime(line.exported_at) : NaN;
  if (Number.isNaN(exportedAt)) throw new Error('exported_at is not an RFC 3339 time');
  const cold = line.cold_image_policy ?? 'AllowAndScan';
  if (cold !== 'AllowAndScan' && cold !== 'DenyUntilScanned') {
    throw new Error('cold_image_policy is neither AllowAndScan nor DenyUntilScanned');
  }
  const source = line.source ?? 'ledger';
  if (source !== 'ledger' && source !== 'audit' && source !== 'pods')
    throw new Error('source of the header is not ledger, audit or pods');
  const lacks = Array.isArray(line.lacks) ? (line.lacks as unknown[]) : [];
  return {
    exportedAt,
    cluster: optionalText(line.cluster, 'cluster'),
    coldImagePolicy: cold,
    rows: count(line.rows, 'rows'),
    images: count(line.images, 'images'),
    from: optionalText(line.from, 'from'),
    to: optionalText(line.to, 'to'),
    tree: parseTree(line.tree),
    ...(source !== 'ledger' && {
      source,
      lacks: (['exposure', 'rest_of_list'] as const).filter((lack) => lacks.includes(lack)),
    }),
  };
}

/** parsePolicyLine reads a policy line's value. Throws an Error whose message says what is wrong. */
export function parsePolicyLine(line: Json): RecordedPolicy {
  const { name, revision, document } = line;
  if (typeof name !== 'string' || name === '') throw new Error('a policy line has no name');
  if (typeof revision !== 'string') throw new Error('a policy line has no revision');
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    throw new Error('a policy line has no document');
  }
  if (isDeep(document)) throw new Error('the document of a policy line is nested deeper than 64 levels');
  if (line.current !== undefined && line.current !== null && typeof line.current !== 'boolean') {
    throw new Error('current of a policy line is not true or false');
  }
  const inForce = parseStays(line.in_force);
  return { name, revision, current: line.current === true, document, ...(inForce && { inForce }) };
}

function parseStays(value: unknown): readonly InForce[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw new Error('in_force of a policy line is not a list');
  return value.map((stay: unknown) => {
    const { from, until = null } = (stay ?? {}) as Json;
    const ends = [from, until].map((end) => (typeof end === 'string' ? parseTime(end) : NaN));
    if (Number.isNaN(ends[0]) || (until !== null && Number.isNaN(ends[1])))
      throw new Error('in_force of a policy line holds something that is not a time');
    return { from: ends[0] as number, until: until === null ? null : (ends[1] as number) };
  });
}

function optionalText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new Error(`${field} of the header is not a text`);
  return value;
}

function count(value: unknown, field: string): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new Error(`${field} of the header is not a count`);
  return value as number;
}

/** Whether a JSON value is nested deeper than any policy; measured without recursion, which it could exhaust. */
function isDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > 64) return true;
    level = level.flatMap((value) =>
      value !== null && typeof value === 'object' ? Object.values(value) : [],
    );
  }
  return false;
}
