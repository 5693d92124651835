import { appendFile, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../base/index.ts';
import type { LedgerEntry, Spool } from '../../ledger/index.ts';
import { keepOwner } from './owner.ts';
import { decodeRecords, encodeRecord } from './record.ts';
import { Segment, syncDirectory } from './segment.ts';
import { SpoolError } from './spool-error.ts';

/** FileSpoolOptions say where a spool is and how much it takes. */
export interface FileSpoolOptions {
  /** Made when it is not there; belongs only to one process. */
  readonly directory: string;
  readonly log: Log;
  /** 10,000 unless said. */
  readonly maxRows?: number;
  /** 64 MiB unless said. */
  readonly maxBytes?: number;
}

const NAME = /^spool-(\d{12})\.log$/;
/** A file is closed when it is so large, so that what was put back leaves the disk while more is coming. */
const SEGMENT_BYTES = 1024 * 1024;

interface Waiting {
  readonly entry: LedgerEntry;
  readonly segment: Segment;
}

/** openFileSpool opens a spool with what a crash may have left in it. Throws SpoolError. */
export async function openFileSpool(options: FileSpoolOptions): Promise<Spool> {
  const { directory, log } = options;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const names = (await readdir(directory)).filter((name) => NAME.test(name)).toSorted();
    const waiting: Waiting[] = [];
    const segments: Segment[] = [];
    for (const name of names) {
      const path = join(directory, name);
      const bytes = await readFile(path);
      const { entries, damaged, torn } = decodeRecords(bytes);
      if (torn > 0)
        log.warn('a write to the spool was cut off before it was answered', { path, bytes: torn });
      if (damaged > 0) {
        await copyFile(path, `${path}.damaged`);
        await keepOwner(`${path}.damaged`);
        log.error('the spool lost reviews that were answered; the file is kept', {
          path: `${path}.damaged`,
          reviews: damaged,
        });
      }
      const segment = new Segment(path, entries.length, bytes.length, null);
      if (entries.length === 0) await segment.remove();
      else segments.push(segment);
      for (const entry of entries) waiting.push({ entry, segment });
    }
    const last = Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0);
    return new FileSpool(options, waiting, segments, last);
  } catch (error) {
    throw new SpoolError(
      'unreadable',
      `the spool in ${directory} cannot be opened: ${(error as Error).message}`,
      {
        hint: 'The directory must be readable and writable for this user',
        cause: error,
      },
    );
  }
}

class FileSpool implements Spool {
  readonly #directory: string;
  readonly #maxRows: number;
  readonly #maxBytes: number;
  #waiting: Waiting[];
  #segments: Segment[];
  #last: number;
  #rows = 0;
  /** Files are worked on by one act at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FileSpoolOptions, waiting: Waiting[], segments: Segment[], last: number) {
    this.#directory = options.directory;
    this.#maxRows = options.maxRows ?? 10_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#waiting = waiting;
    this.#segments = segments;
    this.#last = last;
    for (const { entry } of waiting) this.#rows += entry.rows.length;
  }

  get place(): string {
    return this.#directory;
  }

  get rows(): number {
    return this.#rows;
  }

  append(entries: readonly LedgerEntry[]): Promise<number> {
    return this.#alone(async () => {
      let room = this.#maxRows - this.#rows;
      let bytes = this.#maxBytes - this.#segments.reduce((sum, { size }) => sum + size, 0);
      const records: Buffer[] = [];
      for (const entry of entries) {
        const record = encodeRecord(entry);
        room -= entry.rows.length;
        bytes -= record.length;
        if (room < 0 || bytes < 0) break;
        records.push(record);
      }
      if (records.length === 0) return 0;
      const segment = await this.#write(Buffer.concat(records));
      for (const entry of entries.slice(0, records.length)) {
        this.#waiting.push({ entry, segment });
        this.#rows += entry.rows.length;
      }
      segment.entries += records.length;
      return records.length;
    });
  }

  peek(rows: number): readonly LedgerEntry[] {
    const entries: LedgerEntry[] = [];
    let taken = 0;
    for (const { entry } of this.#waiting) {
      taken += entry.rows.length;
      if (entries.length > 0 && taken > rows) break;
      entries.push(entry);
    }
    return entries;
  }

  *entries(): Iterable<LedgerEntry> {
    for (const { entry } of this.#waiting) yield entry;
  }

  drop(count: number, moreSoon = false): Promise<void> {
    const gone = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    for (const { entry, segment } of gone) {
      this.#rows -= entry.rows.length;
      segment.entries -= 1;
    }
    return this.#alone(async () => {
      const newest = this.#segments.at(-1);
      const empty = this.#segments.filter(({ entries }) => entries === 0);
      this.#segments = this.#segments.filter(({ entries }) => entries > 0);
      for (const segment of empty) {
        // The next to come needs no new file, whose name would have to be made durable as well.
        if (moreSoon && segment === newest && (await segment.empty())) this.#segments.push(segment);
        else await segment.remove();
      }
    });
  }

  async setAside(reason: string): Promise<void> {
    const [entry] = this.peek(1);
    if (entry === undefined) return;
    try {
      await this.#alone(async () => {
        const path = join(this.#directory, 'refused.ndjson');
        await appendFile(path, '', { mode: 0o600 });
        await keepOwner(path);
        await appendFile(path, `${JSON.stringify({ reason, ...entry })}\n`, { flush: true });
        await syncDirectory(this.#directory);
      });
    } finally {
      await this.drop(1);
    }
  }

  close(): Promise<void> {
    return this.#alone(async () => {
      for (const segment of this.#segments) {
        if (segment.entries === 0) await segment.remove();
        else await segment.close();
      }
    });
  }

  async #write(bytes: Buffer): Promise<Segment> {
    try {
      const segment = await this.#newest();
      await segment.append(bytes);
      return segment;
    } catch (error) {
      const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
      throw new SpoolError('unwritable', `the spool in ${this.#directory} cannot be written (${code})`, {
        hint: 'Look at the disk: its space, its rights, its health',
        cause: error,
      });
    }
  }

  async #newest(): Promise<Segment> {
    const newest = this.#segments.at(-1);
    if (newest?.open === true && newest.size < SEGMENT_BYTES) return newest;
    await newest?.close();
    this.#last += 1;
    const path = join(this.#directory, `spool-${String(this.#last).padStart(12, '0')}.log`);
    const segment = await Segment.make(path);
    this.#segments.push(segment);
    return segment;
  }

  #alone<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }
}
