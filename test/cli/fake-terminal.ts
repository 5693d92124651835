import { run } from '../../bin/main.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';

/** Ran is what a command left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** ipo runs the command line in this process, with a terminal that nobody watches and the given stdin. */
export async function ipo(
  args: readonly string[],
  options: {
    stdin?: string | Uint8Array;
    tty?: boolean;
    env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Ran> {
  let out = '';
  let err = '';
  const { stdin = '', tty = false, env = {} } = options;
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(stdin);
  }
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { TERM: 'xterm', ...env },
    tty: { in: tty, out: tty, err: tty },
    columns: 100,
    stdin: input(),
  };
  const code = await run(args, terminal);
  return { code, out, err };
}
