import { fstatSync, write } from 'node:fs';
import { Socket } from 'node:net';

/** Bytes that wait to be written; beyond them lines are dropped, since a slow log reader must not hold the service up. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Bytes that are written at once; each such piece that a reader takes shows that there is one. */
const PIECE = 65_536;
/** An end waits so long for a reader to take the next piece, in milliseconds. */
const PATIENCE_MS = 2_000;

/** LineWriter writes whole lines to a file without waiting for it, so that a reader that is slow or gone holds nobody up. */
export class LineWriter {
  readonly #fd: number;
  /** A pipe or a socket: a thread that waits in a write to one that is full would keep the process from ending. */
  readonly #stream: Socket | null;
  #pieces = 0;
  #waiting: string[] = [];
  #bytes = 0;
  #dropped = 0;
  #writing: Promise<void> | null = null;

  constructor(fd: number) {
    this.#fd = fd;
    const stat = fstatSync(fd);
    this.#stream =
      stat.isFIFO() || stat.isSocket() ? new Socket({ fd, readable: false, writable: true }) : null;
    this.#stream?.on('error', () => {}); // the reader is gone
  }

  /** Takes a line, with or without its end. */
  line(text: string): void {
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    if (this.#bytes > MOST_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(whole);
    this.#bytes += whole.length;
    this.#writing ??= this.#run();
  }

  /** Resolves once what was taken is written, or cannot be, or nobody takes it. Nothing is taken after it. */
  async end(): Promise<void> {
    for (let before = -1; this.#writing !== null && before !== this.#pieces;) {
      before = this.#pieces;
      await this.#patiently();
    }
    this.#stream?.destroy(); // a write under way would keep the process alive
  }

  async #patiently(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE_MS);
    await Promise.race([this.#writing, promise]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const bytes = Buffer.from(this.#waiting.join(''));
      this.#waiting = [];
      await this.#write(bytes);
      this.#bytes = this.#waiting.reduce((sum, line) => sum + line.length, 0);
      if (this.#dropped === 0) continue;
      const dropped = this.#dropped;
      this.#dropped = 0;
      this.line(
        JSON.stringify({
          level: 'warn',
          time: new Date().toISOString(),
          lines: dropped,
          message: 'lines of the log were dropped: nobody took them in time',
        }),
      );
    }
    this.#writing = null;
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length;) {
      const { promise, resolve } = Promise.withResolvers<number | null>();
      const piece = bytes.subarray(from, from + PIECE);
      if (this.#stream !== null) this.#stream.write(piece, (error) => resolve(error ? null : piece.length));
      else
        write(this.#fd, piece, 0, piece.length, null, (error, written) =>
          resolve(error === null ? written : null),
        );
      const written = await promise;
      if (written === null) return; // nobody reads it any more
      this.#pieces += 1;
      from += written;
    }
  }
}
