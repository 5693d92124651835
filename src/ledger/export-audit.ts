import { isIpoError, parseStrictJson } from '../base/index.ts';
import { LedgerError, parseHeader, type ExportHeader } from './export-format.ts';
import { LeafLines } from './leaf-lines.ts';
import { LineBlocks } from './lines.ts';
import { parseSeal, type ExportSeal, type ExportTree } from './range-proof.ts';
import { RowChain } from './row-chain.ts';

/** ExportAudit is an export as it was read for verification: every row hashed, nothing judged yet. */
export interface ExportAudit {
  readonly file: string;
  readonly header: ExportHeader;
  /** Whether the end of the file is missing. */
  readonly isCut: boolean;
  /** What the header says of the tree; null where it says nothing. */
  readonly tree: ExportTree | null;
  /** What the last line says; null where there is none. */
  readonly seal: ExportSeal | null;
  readonly chain: RowChain;
  /** What is wrong with the file itself: a line that cannot be read, a wrong count. */
  readonly damage: readonly string[];
}

/**
 * auditExport reads an export (already decompressed) to its end and hashes its rows. `sizes` are those of the tree at which roots are
 * wanted, or what makes them of the header's tree; `progress` is told the rows read so far. Throws LedgerError `format` or `empty` for what
 * is not a ledger export, `damaged` or `truncated` where its header cannot be read; any other damage is part of the answer. `keep` gets
 * each row's number and line, for callers that look for one of them.
 */
export async function auditExport(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  sizes: SizesWanted = [],
  progress: (rows: number) => void = () => undefined,
  keep: ((id: number, line: string) => void) | null = null,
): Promise<ExportAudit> {
  const audit = new Auditor(file, sizes, keep);
  const lines = new LineBlocks();
  try {
    for await (const chunk of chunks) {
      for (const block of lines.push(chunk)) audit.take(block);
      if (lines.fault !== null) break;
      progress(audit.rows);
    }
    audit.take(lines.end());
    if (lines.fault !== null) audit.unread('damaged', lines.fault);
  } catch (error) {
    if (!isIpoError(error) || (error.code !== 'damaged' && error.code !== 'truncated')) throw error;
    audit.unread(error.code, error.message, error);
  }
  return audit.end();
}

/** SizesWanted are sizes of the tree, or what makes them of what the header says. */
export type SizesWanted = readonly number[] | ((tree: ExportTree | null) => readonly number[]);

class Auditor {
  readonly #file: string;
  readonly #sizes: SizesWanted;
  readonly #keep: ((id: number, line: string) => void) | null;
  readonly #leaves = new LeafLines();
  readonly #damage: string[] = [];
  #line = 0;
  #isCut = false;
  #header: ExportHeader | null = null;
  #tree: ExportTree | null = null;
  #seal: ExportSeal | null = null;
  #chain: RowChain | null = null;
  constructor(file: string, sizes: SizesWanted, keep: ((id: number, line: string) => void) | null) {
    this.#file = file;
    this.#sizes = sizes;
    this.#keep = keep;
  }

  get rows(): number {
    return this.#chain?.count ?? 0;
  }

  /** Takes a block of whole lines. */
  take(block: string): void {
    const { length } = block;
    for (let at = 0; at < length;) {
      const newline = block.indexOf('\n', at);
      const end = newline === -1 ? length : newline;
      this.#line += 1;
      const hash = this.#seal === null ? this.#leaves.hashKnown(block, at, end) : null;
      if (hash !== null && this.#chain !== null) {
        this.#chain.take(this.#leaves.id, hash);
        this.#keep?.(this.#leaves.id, block.slice(at, end));
      } else this.#takeOther(block.slice(at, end));
      at = end + 1;
    }
  }

  /** Says that the line after those that were taken cannot be had. Throws as `damaged` does. */
  unread(code: 'damaged' | 'truncated', reason: string, cause?: unknown): void {
    this.#line += 1;
    this.damaged(code, reason, cause);
  }

  /**
   * Says that the line at hand cannot be read, and that what follows has no place. Throws LedgerError where that is the header, without
   * which nothing can be judged.
   */
  damaged(code: 'damaged' | 'truncated', reason: string, cause?: unknown): void {
    if (this.#header === null)
      throw new LedgerError(code, reason, { file: this.#file, line: 1 }, NO_HEADER, cause);
    const expected = this.#chain?.expected ?? null;
    // Behind the last row that the header names there is no row that could belong.
    const isRow =
      this.rows > 0 && expected !== null && expected >= (this.#tree?.first ?? 1) && this.#seal === null;
    const row = isRow ? `, where row ${expected} belongs` : '';
    if (code === 'truncated') this.#isCut = true;
    if (this.#damage.length < MAX_DAMAGE) this.#damage.push(`line ${this.#line}${row}: ${reason}`);
  }

  end(): ExportAudit {
    if (this.#header === null) {
      throw new LedgerError(
        'empty',
        'the file is empty: not a ledger export',
        { file: this.#file, line: 1 },
        HINT,
      );
    }
    const chain = this.#chain as RowChain;
    chain.end();
    const { rows } = this.#header;
    if (rows !== null && rows !== chain.count)
      this.#damage.push(`the header announces ${rows} rows, but the file contains ${chain.count}`);
    if (rows !== null && rows > chain.count && this.#seal === null) this.#isCut = true;
    return {
      file: this.#file,
      header: this.#header,
      isCut: this.#isCut,
      tree: this.#tree,
      seal: this.#seal,
      chain,
      damage: this.#damage,
    };
  }

  #takeOther(text: string): void {
    let value: unknown;
    try {
      value = parseStrictJson(text);
      if (value === null || typeof value !== 'object') throw new Error('the line is not a JSON object');
      this.#takeValue(value as Readonly<Record<string, unknown>>, text);
    } catch (error) {
      const reason = error instanceof SyntaxError ? 'the line is not JSON' : (error as Error).message;
      if (this.#header === null) {
        throw new LedgerError('format', reason, { file: this.#file, line: this.#line }, HINT, error);
      }
      this.damaged('damaged', reason);
    }
  }

  #takeValue(value: Readonly<Record<string, unknown>>, text: string): void {
    if (this.#header === null) {
      const header = parseHeader(value);
      this.#tree = header.tree ?? null;
      const sizes = typeof this.#sizes === 'function' ? this.#sizes(this.#tree) : this.#sizes;
      this.#chain = new RowChain(this.#tree?.first ?? null, this.#tree?.last ?? null, sizes);
      this.#header = header;
      return;
    }
    if (this.#seal !== null) throw new Error('a line follows the checkpoint, which is the last');
    if (value.type === 'row') {
      const hash = this.#leaves.hashParsed(value, text);
      this.#chain?.take(this.#leaves.id, hash);
      this.#keep?.(this.#leaves.id, text);
    } else if (value.type === 'checkpoint') this.#seal = parseSeal(value);
    else if (value.type === 'header') throw new Error('a second header');
    else if (this.rows > 0) throw new Error('a line that is not a row is between the rows');
  }
}

/** Damaged lines that are told of. */
const MAX_DAMAGE = 1000;

const NO_HEADER = 'Its header cannot be read, so nothing was verified; get the export again';
const HINT = 'Give a ledger export: NDJSON that begins with its header, plain or compressed';
