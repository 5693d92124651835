import type { Finding } from '../../findings/index.ts';
import type { CountedFinding } from './cve-totals.ts';
import type { CveRange } from './cve-range.ts';
import { storableText } from '../sql/storable.ts';

/** ChangePiece is what one transaction of a change is about: the rows of some CVEs before and after it, and what is said of these CVEs. */
export interface ChangePiece {
  readonly range: CveRange;
  readonly before: readonly CountedFinding[];
  readonly found: readonly CountedFinding[];
  readonly said: readonly Finding[];
}

interface OfCve {
  readonly before: CountedFinding[];
  readonly found: CountedFinding[];
  readonly said: Finding[];
}

/** ChangeRows are the rows of a change as the recorder of the scan has them at hand, so that nobody reads them again. */
export class ChangeRows {
  /** The scan that came into use. */
  readonly scan: number;
  readonly #byCve = new Map<string, OfCve>();
  readonly #cves: readonly string[];

  private constructor(scan: number, before: readonly CountedFinding[], found: readonly CountedFinding[]) {
    this.scan = scan;
    for (const row of before) this.#of(row.cve).before.push(row);
    for (const row of found) this.#of(row.cve).found.push(row);
    this.#cves = [...this.#byCve.keys()].toSorted();
  }

  /** Gives null where the order of the texts here may not be that of their bytes, in which the database goes on after a crash. */
  static of(
    scan: number,
    before: readonly CountedFinding[],
    found: readonly CountedFinding[],
    said: readonly Finding[],
  ): ChangeRows | null {
    const rows = new ChangeRows(scan, before, found);
    // oxlint-disable-next-line no-control-regex
    if (rows.#cves.some((cve) => !/^[\0-\x7f]*$/.test(cve))) return null;
    for (const finding of said) rows.#byCve.get(storableText(finding.cve))?.said.push(finding);
    return rows;
  }

  /** Gives the next CVEs after one, at most `count`; null where that one is not among them. */
  piece(after: string, count: number): ChangePiece | null {
    const from = after === '' ? 0 : this.#cves.indexOf(after) + 1;
    if (from === 0 && after !== '') return null;
    const cves = this.#cves.slice(from, from + count);
    const last = from + count < this.#cves.length ? (cves.at(-1) ?? null) : null;
    const all = cves.flatMap((cve) => this.#byCve.get(cve) ?? []);
    return {
      range: { after, upto: last },
      before: all.flatMap(({ before }) => before),
      found: all.flatMap(({ found }) => found),
      said: all.flatMap(({ said }) => said),
    };
  }

  #of(cve: string): OfCve {
    let own = this.#byCve.get(cve);
    if (own === undefined) {
      own = { before: [], found: [], said: [] };
      this.#byCve.set(cve, own);
    }
    return own;
  }
}
