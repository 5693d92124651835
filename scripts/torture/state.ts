import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunksOf, type Chunk, type Part } from './parts.ts';

/** Failure is a test that failed, with what it said. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** Outcome is how a chunk ended. */
export interface Outcome {
  readonly passed: boolean;
  /** Times as ISO 8601. */
  readonly started: string;
  readonly ended: string;
  readonly tests: number;
  /** What was done, by what it is called. */
  readonly counts: Readonly<Record<string, number>>;
  /** Tests that were skipped, with the reason. */
  readonly skipped: readonly string[];
  readonly failures: readonly Failure[];
}

/** Kept is what is kept of a part: of one state of the code, and of one seed. */
export interface Kept {
  readonly code: string;
  readonly commit: string;
  readonly seed: number;
  readonly chunks: Readonly<Record<string, Outcome>>;
}

/** Code is what a result belongs to. */
export interface Code {
  /** Hash of every file that the tests run. */
  readonly hash: string;
  readonly commit: string;
}

/** The folders and files whose change makes an earlier result one of other code. */
const WATCHED = [
  ...['bin', 'daemon', 'src', 'test', 'fixtures', 'fakes'],
  ...['package.json', 'package-lock.json'],
];

/** codeOf gives the state of the code in a directory, as it stands on the disk. */
export function codeOf(root: string): Code {
  const hash = createHash('sha256');
  for (const name of WATCHED) addTo(hash, root, name);
  let commit = 'no commit';
  try {
    commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    // An unpacked archive: the hash tells enough.
  }
  return { hash: hash.digest('hex').slice(0, 20), commit };
}

function addTo(hash: ReturnType<typeof createHash>, root: string, path: string): void {
  let names: string[] | null = null;
  try {
    names = readdirSync(join(root, path)).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
  }
  if (names === null)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  else for (const name of names) addTo(hash, root, `${path}/${name}`);
}

/** keyOf names a chunk among those of its part. */
export function keyOf({ file, part, of }: Chunk): string {
  return `${file} ${part}/${of}`;
}

/** Standing is how a part stands for the code that is there now. */
export type Standing = 'not run' | 'begun' | 'passed' | 'failed' | 'passed on other code';

/** standingOf tells how a part stands. What was only begun on other code is not gone on with. */
export function standingOf(part: Part, sample: number, record: Kept | null, code: Code): Standing {
  if (record === null) return 'not run';
  const outcomes = chunksOf(part, sample).map((chunk) => record.chunks[keyOf(chunk)]);
  const whole = outcomes.every((outcome) => outcome?.passed === true);
  if (record.code !== code.hash) return whole ? 'passed on other code' : 'not run';
  if (whole) return 'passed';
  if (outcomes.some((outcome) => outcome?.passed === false)) return 'failed';
  return outcomes.some((outcome) => outcome !== undefined) ? 'begun' : 'not run';
}

/** State keeps the records in a directory, one file a part; a file is whole or not there. */
export class State {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  read(part: string): Kept | null {
    try {
      return JSON.parse(readFileSync(this.#pathOf(part), 'utf8')) as Kept;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new Error(`${this.#pathOf(part)} cannot be read: remove it, and the part starts again`, {
        cause: error,
      });
    }
  }

  write(part: string, record: Kept): void {
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(`${this.#pathOf(part)}.new`, `${JSON.stringify(record, null, 2)}\n`);
    renameSync(`${this.#pathOf(part)}.new`, this.#pathOf(part));
  }

  #pathOf(part: string): string {
    return join(this.#directory, `${part}.json`);
  }
}
