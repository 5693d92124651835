import { Secret } from '../../base/index.ts';
import {
  RegistryError,
  type CredentialHelpers,
  type HelperAsk,
  type KeptCredential,
  type RegistryRemedy,
} from '../../image/index.ts';
import { ProgramError, runProgram } from '../program/index.ts';
import { readAnswer, saysNotFound } from './helper-answer.ts';

/** CredentialHelperOptions say how helpers are run. */
export interface CredentialHelperOptions {
  /** Finds a program by its name in the PATH, and nowhere else; null where there is none. */
  readonly find: (program: string) => Promise<string | null>;
  /** All of it is handed on, as docker does: a helper finds its keychain, its agent and its cloud by it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Milliseconds for one answer. */
  readonly timeoutMs: number;
}

/** OpenHelpers are CredentialHelpers, and their end. */
export interface OpenHelpers extends CredentialHelpers {
  /** Kills whatever runs, with all that it started. */
  close(): void;
}

/** A token of a cloud has some thousand bytes. */
const MAX_ANSWER = 65_536;
/** What follows `docker-credential-`: no path, and nothing that a terminal or another program could take for something else. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/**
 * openCredentialHelpers asks `docker-credential-NAME get` as docker does: without a shell, the server on its standard input, its answer on
 * its standard output. Each is asked once for a server, whatever the answer. Nothing that it wrote stands in an error: it may be a secret.
 */
export function openCredentialHelpers(options: CredentialHelperOptions): OpenHelpers {
  const asked = new Map<string, Promise<KeptCredential | null>>();
  const end = new AbortController();
  return {
    find(ask) {
      const key = JSON.stringify([ask.helper, ask.server]);
      let answer = asked.get(key);
      if (answer === undefined) asked.set(key, (answer = askHelper(ask, options, end.signal)));
      return answer;
    },
    close: () => end.abort(),
  };
}

async function askHelper(
  { helper, server, host, config }: HelperAsk,
  { find, env, cwd, timeoutMs }: CredentialHelperOptions,
  signal: AbortSignal,
): Promise<KeptCredential | null> {
  if (!NAME.test(helper))
    throw fault(
      `${config} names a credential helper for ${host} that is not the name of a program`,
      'name_helper',
    );
  const name = `docker-credential-${helper}`;
  const program = await find(name);
  if (program === null)
    throw fault(`${name}, which ${config} names for ${host}, is not on the PATH`, 'install_helper');
  let output: Buffer;
  try {
    ({ output } = await runProgram({
      program,
      args: ['get'],
      cwd,
      input: server,
      prompt: true,
      timeoutMs,
      maxBytes: MAX_ANSWER,
      signal,
      env: Object.fromEntries(
        Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
      ),
    }));
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    if (error.fault === 'failed' && saysNotFound(error.output)) return null;
    throw fault(
      `${name} gave no credential for ${host}: ${error.message}`,
      error.fault === 'late' ? 'unlock_helper' : 'renew_helper',
    );
  }
  const answer = readAnswer(output);
  if (answer === 'unreadable')
    throw fault(
      `${name} gave no credential for ${host}: its answer is not a user name and a secret in JSON`,
      'renew_helper',
    );
  return answer === null ? null : { username: answer.username, secret: new Secret(answer.secret) };
}

/** Without a cause: it would hold what the program wrote. */
function fault(message: string, remedy: RegistryRemedy): RegistryError {
  return new RegistryError('credentials', message, { remedy, elseAnonymous: true });
}
