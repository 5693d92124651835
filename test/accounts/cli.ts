import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { run } from '../../bin/main.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';

/** Ran is what a command left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Shell is one user at one machine: a home of its own, where commands keep what they keep. */
export interface Shell {
  readonly env: Record<string, string>;
  /** Runs a command. With `answers` a person sits there, who answers each question when it comes up. */
  ipo(
    args: readonly string[],
    options?: { stdin?: string; answers?: readonly (readonly [question: RegExp, answer: string])[] },
  ): Promise<Ran>;
}

/** openShell makes a user; the home is gone after the test. */
export function openShell(t: TestContext): Shell {
  const home = mkdtempSync(join(tmpdir(), 'ipo-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const env: Record<string, string> = { XDG_CONFIG_HOME: home, HOME: home, TERM: 'xterm' };
  return {
    env,
    async ipo(args, { stdin = '', answers } = {}) {
      let out = '';
      let err = '';
      const person = answers !== undefined;
      const keyboard = new PassThrough();
      if (!person) keyboard.end(stdin);
      const left = [...(answers ?? [])];
      let from = 0;
      const answer = (): void => {
        const [next] = left;
        const found = next?.[0].exec(err.slice(from));
        if (next === undefined || !found) return;
        left.shift();
        from = err.length;
        // When the question has been drawn whole and somebody listens.
        setImmediate(() => keyboard.write(`${next[1]}\r`));
      };
      const terminal: Terminal = {
        out: (text) => void (out += text),
        err: (text) => {
          err += text;
          if (person) answer();
        },
        env: { ...env },
        tty: { in: person, out: person, err: person },
        columns: 120,
        stdin: keyboard,
      };
      const code = await run(args, terminal);
      if (left.length > 0)
        err += `\n(never asked: ${left.map(([question]) => question.source).join(', ')})\n`;
      return { code, out, err };
    },
  };
}
