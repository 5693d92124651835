import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { bundleProgram } from '../joined-program.ts';
import { parseKept, toSigner, verifyDatabase } from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { packUid } from '../../src/store/cells/uid.ts';
import { uidOf } from './parts.ts';

const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const folder = mkdtempSync(join(tmpdir(), 'ipo-kill-'));
const program = join(folder, 'child.mjs');
after(() => rmSync(folder, { recursive: true, force: true }));

/** scratch gives the path of a name that the children of this file alone use. */
export function scratch(name: string): string {
  return join(folder, name);
}

let made: Promise<unknown> | null = null;

/** makeProgram joins the child's program into one file: forty modules take longer to find and link than it lives. */
export function makeProgram(): Promise<unknown> {
  made ??= bundleProgram(resolve(import.meta.dirname, 'kill-child.ts'), program);
  return made;
}

/** Child is one process with what it said. */
export interface Child {
  readonly process: ChildProcess;
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly lines: string[];
  /** Has an act called after each line. */
  readonly heard: (act: () => void) => void;
}

/** ChildOptions say what a child works on. */
export interface ChildOptions {
  readonly url: string;
  /** Directory of its spool. */
  readonly spool: string;
  /** No two children have one number. */
  readonly number: number;
  /** Place of a point in POINTS, or -1, and which passing of it is the last. */
  readonly point?: number;
  readonly passing?: number;
  /** A command that the program is run under. */
  readonly under?: readonly string[];
}

/** startChild starts the program; it begins when it is told to. */
export function startChild({ url, spool, number, point = -1, passing = 1, under = [] }: ChildOptions): Child {
  const [command = '', ...args] = [
    ...under,
    process.execPath,
    program,
    url,
    spool,
    ...[number, point, passing].map(String),
  ];
  const child = spawn(command, args, {
    env: { ...process.env, IPO_TEST_KEY: PEM, NODE_COMPILE_CACHE: join(folder, 'cache') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  const lines: string[] = [];
  let act = (): void => {};
  const reader = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve) => {
    reader.on('line', (line) => {
      if (line === 'ready') resolve();
      else {
        lines.push(line);
        act();
      }
    });
    child.on('exit', () => resolve());
  });
  const ended = Promise.all([
    new Promise<void>((resolve) => child.on('exit', () => resolve())),
    new Promise<void>((resolve) => reader.on('close', () => resolve())),
  ]).then(() => undefined);
  return { process: child, ready, ended, lines, heard: (called) => void (act = called) };
}

/** stopChild lets a child put back what waits and end in order. */
export async function stopChild(child: Child): Promise<void> {
  await child.ready;
  child.process.stdin?.write('stop\n');
  await child.ended;
}

/** Judged is what was found when nothing was wrong. */
export interface Judged {
  readonly answered: number;
  readonly rows: number;
  readonly checkpoints: number;
}

/**
 * judgeLedger holds a database against what its children said: every review that was answered is there once and whole, the numbers
 * have no gap, the tree verifies and extends every checkpoint that was signed. Throws an Error that says what is wrong.
 */
export async function judgeLedger(url: string, said: readonly string[]): Promise<Judged> {
  const store = await openStore({ url });
  try {
    const rows = await runText<{ id: number; review_uid: Buffer; part: number }>(
      store.read,
      'select id, review_uid, part from ledger_rows order by id',
      [],
    );
    const gap = rows.findIndex(({ id }, i) => id !== i + 1);
    if (gap !== -1) throw new Error(`row ${gap + 1} is missing`);
    const parts = new Map<string, number[]>();
    for (const { review_uid, part } of rows) {
      const uid = review_uid.toString('latin1');
      parts.set(uid, [...(parts.get(uid) ?? []), part]);
    }
    for (const list of parts.values())
      if (list.some((part, i) => part !== i)) throw new Error(`a review stands twice: parts ${list.join()}`);
    const answered = new Set(said.filter((line) => /^\d+$/.test(line)).map(Number));
    for (const n of answered) {
      const found = parts.get(packUid(uidOf(n)).toString('latin1'));
      if (found?.length !== (n % 3) + 1)
        throw new Error(`review ${n} was answered, and ${found?.length ?? 0} of its rows are there`);
    }
    const notes = new Set(said.filter((line) => line.startsWith('note ')));
    const kept = [...notes].flatMap((line) =>
      parseKept(Buffer.from(line.slice(5), 'base64').toString(), 'said'),
    );
    const keys = [toSigner('ipo.dev/ledger/kill', PEM)];
    const result = await verifyDatabase(ledgerTree(store), url, { keys, kept });
    if (!result.holds) throw new Error(JSON.stringify(result));
    return { answered: answered.size, rows: rows.length, checkpoints: notes.size };
  } finally {
    await store.close();
  }
}
