import { decompressed, openLedgerDatabase, writeLong } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { exportLines } from '../../src/ledger/index.ts';
import { counted } from '../../src/render/index.ts';
import type { LedgerExportOptions } from './options.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { exportTarget } from './export-target.ts';
import { findLedger } from './source.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { endsOf, parsePeriod } from './flags.ts';

/** runLedgerExport is `ipo ledger export`: the ledger of a service or of its database as a file, streamed. */
export async function runLedgerExport(
  options: LedgerExportOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const sources = 'a database with --database URL, or a service with --server URL';
  const source = findLedger(options, terminal, sources);
  const period = parsePeriod(options);
  const parts = openParts(terminal);
  const path = await exportTarget(options, parts, terminal);

  const progress = new Progress(terminal, globals, parts.clock.now);
  const count = new LineCount((rows) => progress.rows(rows));
  const write = async (chunks: AsyncIterable<string | Uint8Array>): Promise<void> => {
    try {
      if (path === null) for await (const chunk of count.over(chunks)) terminal.out(chunk.toString());
      else await writeLong(path, count.over(chunks));
    } finally {
      progress.end();
    }
  };
  const say = (text: string): void => (globals.quiet ? undefined : terminal.err(`ipo: ${text}\n`));

  if (source.kind === 'server') {
    const { days, from, to } = period;
    const query = {
      format: 'gz',
      days,
      from: from === undefined ? undefined : formatTime(from),
      to: to === undefined ? undefined : formatTime(to),
    };
    await withService(terminal, source.flags, async (service) => {
      const { body } = await service.stream('GET /ledger/export', { query });
      await write(await decompressed(body));
    });
  } else if (source.kind === 'database') {
    const database = await openLedgerDatabase(source.url);
    try {
      const at = parts.clock.now();
      const { from = null, to = null } = endsOf(period, at);
      const { coldImagePolicy, cluster = null } = options;
      const [checkpoint, key] = [await database.tree.newestCheckpoint(), await database.tree.key()];
      const tree = checkpoint === null || key === null ? null : { checkpoint, key, tiles: database.tree };
      const rows = await database.tree.rows();
      if (tree === null) say('nothing is signed yet, so this export cannot be proved');
      else if (rows > tree.checkpoint.size)
        say(
          `${counted(rows - tree.checkpoint.size, 'row')} left out, since no checkpoint covers them yet; the service signs every minute`,
        );
      await write(exportLines(await database.export({ at, cluster, coldImagePolicy, from, to, tree })));
    } finally {
      await database.close();
    }
  }
  say(`${counted(count.rows ?? 0, 'row')} exported${path === null ? '' : ` to ${path}`}`);
  return EXIT.done;
}

const NEWLINE = 10;

/** LineCount counts the lines that pass, for the progress, and reads from the header how many rows there are. */
class LineCount {
  /** Rows that the header announces; null before it has passed. */
  rows: number | null = null;
  readonly #told: (lines: number) => void;
  #lines = 0;
  #head: Buffer[] | null = [];

  constructor(told: (lines: number) => void) {
    this.#told = told;
  }

  async *over(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      const bytes =
        typeof chunk === 'string'
          ? Buffer.from(chunk)
          : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (this.#head !== null) this.#readHead(bytes);
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) this.#lines += 1;
      this.#told(this.#lines);
      yield bytes;
    }
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf(NEWLINE);
    this.#head?.push(bytes.subarray(0, end === -1 ? bytes.length : end));
    if (end === -1) return;
    const { rows } = JSON.parse(Buffer.concat(this.#head ?? []).toString('utf8')) as { rows?: number };
    this.rows = rows ?? null;
    this.#head = null;
  }
}
