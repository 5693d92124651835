import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from '../../adapters/files/index.ts';
import {
  summaryOf,
  toEvidenceSigner,
  type Claimed,
  type KeptPackage,
  type Made,
  type PackageWork,
} from '../../evidence/index.ts';
import { inPieces } from './in-pieces.ts';
import { packageOfDatabase, type PackagePlace } from './of-database.ts';

/** KeepTask says which package is made, of what, and by which try. */
export interface KeepTask {
  readonly url: string;
  readonly claimed: Claimed;
  readonly keyFile: string;
  readonly place: PackagePlace;
  /** Of this replica only; null for the directory of the system. */
  readonly scratch: string | null;
  /** Whether the signature gets a time stamp, which the service asks for. */
  readonly stamped: boolean;
}

/** Kept is what became of a try. */
export type Kept = 'done' | 'superseded';

/** A replica of a killed process looks at the beat of a package; this one is well alive. */
const BEAT_MS = 1000;
const PIECE = 262_144;
const AT_ONCE = 4;

/** Superseded ends a try that may write no more: it was cancelled, or another took over. */
class Superseded extends Error {}

/**
 * keepPackage makes a package into the database. Every write holds the fence of the try, so that of several that were begun one is kept,
 * whole. Throws IpoError for what cannot be made, StoreError.
 */
export async function keepPackage(
  task: KeepTask,
  stamp: (signature: Buffer) => Promise<Uint8Array>,
): Promise<Kept> {
  const { url, claimed, keyFile, place } = task;
  const signer = toEvidenceSigner(await readBounded(keyFile, 16_384), keyFile);
  if (task.scratch !== null) await emptied(task.scratch);
  const { keyRecords, openStore, packageWork } = await import('../../store/index.ts');
  const store = await openStore({ url, migrate: false, turn: 'behind', poolSize: 1 });
  const work = packageWork(store);
  const at = Date.now();
  const beats = new Beats(work, claimed);
  try {
    await keyRecords(store).use(signer, at);
    await work.tidy();
    return await packageOfDatabase(
      {
        url,
        signer,
        place,
        at,
        request: claimed.request,
        scratch: task.scratch ?? undefined,
        stamp: task.stamped ? stamp : undefined,
        progress: (stage, rows, total) => beats.reached({ stage, rows, total }),
      },
      (made) => storeArchive(work, claimed, made, beats),
    );
  } catch (error) {
    if (error instanceof Superseded) return 'superseded';
    throw error;
  } finally {
    await beats.end();
    await store.close();
  }
}

/** Writes an archive in pieces, and then what it is. The memory of pieces that were written is used again. */
async function storeArchive(work: PackageWork, claimed: Claimed, made: Made, beats: Beats): Promise<Kept> {
  const { total, rows } = beats.progress;
  beats.reached({ stage: 'store', rows: total ?? rows, total });
  const hash = createHash('sha256');
  let [bytes, number] = [0, 0];
  let waiting: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    if (!(await work.keep(claimed, number, waiting))) throw new Superseded();
    number += waiting.length;
    waiting = [];
  };
  for await (const piece of inPieces(made.archive(), PIECE, AT_ONCE)) {
    hash.update(piece);
    bytes += piece.length;
    waiting.push(piece);
    if (waiting.length === AT_ONCE) await flush();
  }
  if (waiting.length > 0) await flush();
  await beats.end();
  // What the last beat did not tell yet.
  await work.beat(claimed, beats.progress);
  const finished = { bytes, sha256: hash.digest('hex'), summary: summaryOf(made.document) };
  return (await work.finish(claimed, finished, Date.now())) ? 'done' : 'superseded';
}

/** What a killed process left is of no use; nobody else works in this directory. */
async function emptied(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory))
    if (name.startsWith('ipo-scratch-')) await rm(join(directory, name), { recursive: true, force: true });
}

/** Beats tells the database that somebody works on a package, and hears from it when that is to end. */
class Beats {
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> = Promise.resolve();
  #superseded = false;
  progress: KeptPackage['progress'] = { stage: null, rows: 0, total: null };

  constructor(work: PackageWork, claimed: Claimed) {
    let busy = false;
    this.#timer = setInterval(() => {
      if (busy) return;
      busy = true;
      this.#beating = work
        .beat(claimed, this.progress)
        .then((holds) => void (this.#superseded ||= !holds))
        // A database that is away is met by the work itself.
        .catch(() => undefined)
        .finally(() => (busy = false));
    }, BEAT_MS);
  }

  /** Throws where this try is to end. */
  reached(progress: KeptPackage['progress']): void {
    this.progress = progress;
    if (this.#superseded) throw new Superseded();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }
}
