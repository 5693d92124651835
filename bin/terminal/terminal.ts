/** Terminal is the world as a command sees it. Results go to `out`, everything else to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether stdin, stdout and stderr are a person's terminal. */
  readonly tty: { readonly in: boolean; readonly out: boolean; readonly err: boolean };
  /** Columns of the terminal; 100 where it is none. */
  readonly columns: number;
  /** The standard input, as bytes. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Restarts the process with flags of the engine, unless it began with them; absent where the terminal is not that of a process. */
  restart?(flags: readonly string[]): Promise<void>;
}

/** GlobalOptions hold for every command. */
export interface GlobalOptions {
  readonly color: boolean;
  readonly quiet?: true;
  readonly verbose?: true;
}

/** usesColor tells whether output to that stream may be coloured: never for a file or a pipe. */
export function usesColor(terminal: Terminal, options: GlobalOptions, stream: 'out' | 'err'): boolean {
  const { NO_COLOR, TERM } = terminal.env;
  return (
    options.color && terminal.tty[stream] && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb'
  );
}
