import { usesColor, type GlobalOptions, type Terminal } from './terminal.ts';

/** Shorter work needs no progress; longer work says so about ten times a second. */
const FIRST_AFTER_MS = 700;
const EVERY_MS = 100;

/** Before so much is read, what is left can only be guessed. */
const LEAST_SHARE = 0.03;

/** Progress is one line on stderr that is written over and wiped at the end; nothing where no person watches. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #shown: boolean;
  readonly #now: () => number;
  #doing: string;
  readonly #began: number;
  #last = 0;
  #written = false;
  #share: number | null = null;

  /** `doing` is what takes the time. */
  constructor(terminal: Terminal, options: GlobalOptions, now: () => number, doing = 'reading the ledger') {
    this.#terminal = terminal;
    this.#shown =
      terminal.tty.err && !options.quiet && usesColor(terminal, { ...options, color: true }, 'err');
    this.#now = now;
    this.#doing = doing;
    this.#began = now();
  }

  /** Keeps how much of the file was read, where its size is known. */
  bytes(read: number, size: number | null): void {
    this.#share = size === null || size === 0 ? null : Math.min(1, read / size);
  }

  /** Says what takes the time now. */
  says(doing: string): void {
    this.#doing = doing;
  }

  /** Shows the rows read so far. */
  rows(count: number): void {
    if (!this.#shown) return;
    const now = this.#now();
    if (now - this.#began < FIRST_AFTER_MS || now - this.#last < EVERY_MS) return;
    this.#last = now;
    this.#written = true;
    const share =
      this.#share === null
        ? ''
        : ` ${bar(this.#share)} ${String(Math.floor(this.#share * 100)).padStart(3)} %`;
    const spent = (now - this.#began) / 1000;
    const rate = Math.round(count / spent);
    const left =
      this.#share === null || this.#share < LEAST_SHARE ? '' : `, ${leftOf(spent, this.#share)} left`;
    this.#terminal.err(
      `\r\u001b[2K${this.#doing}${share}  ${count.toLocaleString('en-US')} rows, ${rate.toLocaleString('en-US')}/s${left}`,
    );
  }

  /** Wipes the line. */
  end(): void {
    if (this.#written) this.#terminal.err('\r\u001b[2K');
  }
}

/** The time that is left when a share of the work took this many seconds. */
function leftOf(spent: number, share: number): string {
  const seconds = Math.ceil((spent * (1 - share)) / share);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function bar(share: number): string {
  const full = Math.round(share * 20);
  return `${'━'.repeat(full)}${'╌'.repeat(20 - full)}`;
}
