import { Writable } from 'node:stream';
import { clean } from '../../terminal/clean.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';

/** Question asks for one answer. */
export interface Question {
  /** The flag that answers it too. */
  readonly flag: string;
  /** What the flag said. */
  readonly given: string | undefined;
  readonly text: string;
  /** Taken by Enter, and where nobody is there; without it an answer is needed. */
  readonly standard?: string;
  /** What is wrong with an answer, in a sentence, or null; a person is asked again. */
  readonly check?: (answer: string) => string | null;
}

/** Choice is one answer of several. */
export interface Choice {
  readonly value: string;
  readonly name: string;
}

/** Interview gets answers: from flags, and where one is missing from a person, if there is one. Throws UsageError. */
export interface Interview {
  /** Whether a person is there. */
  readonly person: boolean;
  line(question: Question): Promise<string>;
  /** An answer that is not shown; without a standard. */
  secret(question: Omit<Question, 'standard'>): Promise<string>;
  choice(
    flag: string,
    given: string | undefined,
    question: string,
    choices: readonly Choice[],
    standard?: string,
  ): Promise<string>;
}

/** openInterview makes one for a terminal; `asks` false asks nobody. What is asked goes to stderr. An interrupt throws UsageError. */
export function openInterview(terminal: Terminal, asks = true): Interview {
  const person = asks && terminal.tty.in && terminal.tty.err;
  const missing = (flag: string): UsageError =>
    asks
      ? new UsageError(
          `${flag} is missing, and stdin is not a terminal to ask on`,
          flag.endsWith('-stdin') ? `Give ${flag}, and write the value to stdin` : `Give ${flag}`,
        )
      : new UsageError(`${flag} is missing`, `Write it into the file, or give ${flag}`);
  /** Inquirer shows a text as what is wrong. */
  const validating = (check: Question['check']) => (answer: string) =>
    (answer.trim() === '' ? null : check?.(answer.trim())) ?? true;
  return {
    person,
    async line({ flag, given, text, standard, check }) {
      if (given !== undefined) return checked(given.trim(), check, `${flag} ${clean(given.trim())}`);
      if (!person) {
        if (standard === undefined) throw missing(flag);
        return standard;
      }
      const { input } = await import('@inquirer/prompts');
      const answer = await asked(() =>
        input(
          {
            message: text,
            required: standard === undefined,
            validate: validating(check),
            ...(standard !== undefined && standard !== '' && { default: standard }),
          },
          contextOf(terminal),
        ),
      );
      return answer.trim();
    },
    async secret({ flag, given, text, check }) {
      if (given !== undefined) return checked(given.trim(), check, flag);
      if (!person) throw missing(flag);
      const { password } = await import('@inquirer/prompts');
      for (;;) {
        const answer = await asked(() =>
          password({ message: text, mask: true, validate: validating(check) }, contextOf(terminal)),
        );
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
          `${flag} ${clean(given)}: not one of the choices`,
          `Choose one of these: ${choices.map(({ value, name }) => clean(value === name ? value : `${value} = ${name}`)).join('; ')}`,
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

function checked(answer: string, check: Question['check'], what: string): string {
  const fault = answer === '' ? 'it is empty' : (check?.(answer) ?? null);
  if (fault === null) return answer;
  throw new UsageError(`${what}: ${fault}`);
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(error.name))
      throw new UsageError('cancelled; nothing was saved');
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
