import { Writable } from 'node:stream';
import { checkPassword } from '../../src/accounts/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from './clean.ts';
import { openParts } from './parts.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

/** Prompts ask a person at the terminal. What is asked goes to stderr. An interrupt throws UsageError. */
export interface Prompts {
  /** Asks for a line; blanks at its ends are left out. */
  line(question: string): Promise<string>;
  /** Asks for a secret, which is not shown. */
  secret(question: string): Promise<string>;
  /**
   * Asks for a password that is made up now, twice, and again as long as the rules refuse it; `person` is whose address and name
   * it may not be.
   */
  newPassword(
    question: string,
    person?: { readonly email: string | null; readonly name: string | null },
  ): Promise<string>;
}

/** openPrompts asks at a terminal. Throws UsageError with `instead` where nobody could be asked. */
export function openPrompts(terminal: Terminal, what: string, instead: string): Prompts {
  if (!terminal.tty.in || !terminal.tty.err)
    throw new UsageError(`${what} needs an answer, and stdin is not a terminal`, instead);
  // A question ends the stream that it was written to, so each gets one of its own.
  const contextOf = () => ({
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
  });
  const asked = async (question: string, hidden: boolean): Promise<string> => {
    const { input, password } = await import('@inquirer/prompts');
    const context = contextOf();
    try {
      return hidden
        ? await password({ message: question, mask: true }, context)
        : await input({ message: question, required: true }, context);
    } catch (error) {
      if (error instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(error.name))
        throw new UsageError('cancelled; nothing was done');
      throw error;
    }
  };
  const secret = async (question: string): Promise<string> => {
    for (;;) {
      const text = await asked(question, true);
      if (text !== '') return text;
    }
  };
  return {
    line: async (question) => (await asked(question, false)).trim(),
    secret,
    newPassword: async (question, person = { email: null, name: null }) => {
      for (;;) {
        const first = await secret(question);
        const fault = refusal(first, person);
        if (fault !== null) terminal.err(`${clean(fault)}; try again.\n`);
        else if (first === (await secret('Repeat it'))) return first;
        else terminal.err('The two entries differ; try again.\n');
      }
    },
  };
}

/** The service refuses it too; said here, nothing has to be entered again. */
function refusal(password: string, person: Parameters<typeof checkPassword>[1]): string | null {
  try {
    checkPassword(password, person);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** readStdinLines reads a line of stdin for each name, such as passwords, and for as many `others` as there are; the end of the last may be missing. Throws UsageError. */
export async function readStdinLines(
  terminal: Terminal,
  names: readonly string[],
  others: readonly string[] = [],
): Promise<string[]> {
  const text = await openParts(terminal).readText('-', 16_384);
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const isRight = lines.length >= names.length && lines.length <= names.length + others.length;
  if (isRight && !lines.includes('')) return lines;
  const wanted = clean(names.join(', then '));
  throw new UsageError(
    text.trim() === ''
      ? 'stdin is empty'
      : `stdin has ${counted(lines.length, 'line')}${lines.includes('') ? ', one of them empty,' : ''} and must have ${counted(names.length, 'line')}`,
    `Write ${wanted} into it, ${names.length === 1 ? 'on one line' : 'each on a line of its own'}`,
  );
}
