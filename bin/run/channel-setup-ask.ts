import { Writable } from 'node:stream';
import { clean } from '../ui/clean.ts';
import type { Terminal } from '../ui/terminal.ts';
import { UsageError } from '../ui/usage.ts';

/** Choice is one answer of several. */
export interface Choice {
  readonly value: string;
  readonly name: string;
}

/** Interview gets answers: from flags, and where one is missing from a person, if there is one. */
export interface Interview {
  /** Whether a person is there. */
  readonly person: boolean;
  /** A line; `standard` is taken by Enter, and where nobody is there. Throws UsageError where an answer is needed and missing. */
  line(flag: string, given: string | undefined, question: string, standard?: string): Promise<string>;
  secret(flag: string, given: string | undefined, question: string): Promise<string>;
  choice(
    flag: string,
    given: string | undefined,
    question: string,
    choices: readonly Choice[],
    standard?: string,
  ): Promise<string>;
}

/** openInterview makes one for a terminal. What is asked goes to stderr. An interrupt throws UsageError. */
export function openInterview(terminal: Terminal): Interview {
  const person = terminal.tty.in && terminal.tty.err;
  const missing = (flag: string): UsageError =>
    new UsageError(`${flag} is missing, and this is no terminal that could be asked`, `Give ${flag}`);
  return {
    person,
    async line(flag, given, question, standard) {
      if (given !== undefined) return given.trim();
      if (!person) {
        if (standard === undefined) throw missing(flag);
        return standard;
      }
      const { input } = await import('@inquirer/prompts');
      const needed = standard === undefined;
      const answer = await asked(() =>
        input(
          {
            message: question,
            required: needed,
            ...(needed || standard === '' ? {} : { default: standard }),
          },
          contextOf(terminal),
        ),
      );
      return answer.trim();
    },
    async secret(flag, given, question) {
      if (given !== undefined) return given;
      if (!person) throw missing(flag);
      const { password } = await import('@inquirer/prompts');
      for (;;) {
        const answer = await asked(() => password({ message: question, mask: true }, contextOf(terminal)));
        if (answer.trim() !== '') return answer.trim();
      }
    },
    async choice(flag, given, question, choices, standard) {
      if (given !== undefined) {
        const found = choices.find(
          ({ value, name }) => value === given || name.toLowerCase() === given.toLowerCase(),
        );
        if (found !== undefined) return found.value;
        throw new UsageError(
          `${flag} ${clean(given)}: there is no such choice`,
          `Choose one of ${choices.map(({ value, name }) => clean(value === name ? value : `${value} (${name})`)).join(', ')}`,
        );
      }
      if (!person) {
        if (standard === undefined) throw missing(flag);
        return standard;
      }
      const { select } = await import('@inquirer/prompts');
      const shown = choices.map(({ value, name }) => ({ value, name: clean(name) }));
      return asked(() =>
        select(
          { message: question, choices: shown, ...(standard !== undefined && { default: standard }) },
          contextOf(terminal),
        ),
      );
    },
  };
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(error.name))
      throw new UsageError('given up; nothing was saved');
    throw error;
  }
}

/** A question ends the stream that it was written to, so each gets one of its own. */
function contextOf(terminal: Terminal) {
  return {
    // A terminal's stdin is a stream that can be listened to; only tests without a terminal give another.
    input: terminal.stdin as unknown as NodeJS.ReadableStream,
    output: Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          terminal.err(chunk.toString('utf8'));
          done();
        },
      }),
      { isTTY: true, columns: terminal.columns },
    ),
  };
}
