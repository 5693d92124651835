import { write } from 'node:fs';

/** Bytes that wait to be written; beyond them lines are dropped, since whoever reads the log must not hold the service up. */
const MOST_BYTES = 8 * 1024 * 1024;

/** LineWriter writes whole lines to a file without waiting for it, so that a reader that is slow or gone holds nobody up. */
export class LineWriter {
  readonly #fd: number;
  #waiting: string[] = [];
  #bytes = 0;
  #dropped = 0;
  #writing: Promise<void> | null = null;

  constructor(fd: number) {
    this.#fd = fd;
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

  /** Resolves once what was taken is written, or cannot be. */
  async end(): Promise<void> {
    await this.#writing;
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
      write(this.#fd, bytes, from, bytes.length - from, null, (error, written) => {
        if (error === null) resolve(written);
        // A pipe that is full and does not wait is tried again; one that nobody reads takes nothing any more.
        else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), 5);
        else resolve(null);
      });
      const written = await promise;
      if (written === null) return;
      from += written;
    }
  }
}
