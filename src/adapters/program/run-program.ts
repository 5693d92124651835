import { spawn, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { ProgramError } from './program-error.ts';

/** Run is one run of a program. */
export interface Run {
  /** A path, or a name that is looked up in the PATH of `env`. */
  readonly program: string;
  /** Never holds a secret: every process of the machine can read it. */
  readonly args: readonly string[];
  /** All of its environment: nothing else of ours is handed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Written to its standard input, which then ends; it has none unless given. */
  readonly input?: string | undefined;
  /** Whether it keeps our priority, because a person waits for it; the lowest unless said. */
  readonly prompt?: boolean | undefined;
  /** Milliseconds from its start to the end of its output. */
  readonly timeoutMs: number;
  /** Bytes of its output that are taken. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Ended is what a program that ended with status 0 wrote; of stderr only the end. */
export interface Ended {
  readonly output: Buffer;
  readonly said: string;
}

/** Bytes of stderr that are kept. */
const MAX_SAID = 16_384;
/** What a program started may hold its output open for this many milliseconds after its end. */
const LINGER_MS = 2_000;

/**
 * runProgram runs a program without a shell, at the lowest priority unless told otherwise, in a group of its own. It is killed with everything that it started when its time is
 * over, when it writes too much, or on an abort. Throws ProgramError.
 */
export function runProgram(run: Run): Promise<Ended> {
  const { program, args, env, cwd, input, prompt = false, timeoutMs, maxBytes, signal } = run;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new ProgramError('stopped', 'it was stopped'));
      return;
    }
    let child: ChildProcess;
    try {
      child = spawn(program, [...args], {
        cwd,
        env: { ...env },
        detached: true,
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      reject(missing(error));
      return;
    }
    const output: Buffer[] = [];
    let size = 0;
    let said = Buffer.alloc(0);
    let fault: ProgramError | null = null;
    let lingering: NodeJS.Timeout | null = null;

    const end = (why: ProgramError): void => {
      fault ??= why;
      killGroup(child);
      // Something that left the group may hold them open for ever.
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const late = setTimeout(
      () => end(new ProgramError('late', `it did not end within ${timeoutMs / 1000} seconds`, text(said))),
      timeoutMs,
    );
    const onAbort = (): void => end(new ProgramError('stopped', 'it was stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (act: () => void): void => {
      clearTimeout(late);
      if (lingering !== null) clearTimeout(lingering);
      signal.removeEventListener('abort', onAbort);
      act();
    };

    child.stdout?.on('data', (part: Buffer) => {
      size += part.length;
      if (size > maxBytes)
        end(new ProgramError('too_large', `it wrote more than ${maxBytes} bytes`, text(said)));
      else output.push(part);
    });
    child.stderr?.on('data', (part: Buffer) => {
      said = Buffer.concat([said, part]).subarray(-MAX_SAID);
    });
    // One that ends without reading it is judged by its answer.
    child.stdin?.on('error', () => {});
    if (input !== undefined) child.stdin?.end(input);
    if (!prompt) child.once('spawn', () => lowerPriority(child));
    child.once('error', (error) => {
      if (child.pid === undefined) settle(() => reject(missing(error)));
    });
    child.once('exit', () => {
      lingering = setTimeout(
        () => end(new ProgramError('cut_off', 'what it started held its output open', text(said))),
        LINGER_MS,
      );
    });
    child.once('close', (code, killedBy) => {
      settle(() => {
        if (fault !== null) reject(fault);
        else if (code === 0) resolve({ output: Buffer.concat(output), said: text(said) });
        else {
          const how = code === null ? `was killed by ${killedBy}` : `ended with status ${code}`;
          reject(new ProgramError('failed', `it ${how}`, text(said), undefined, text(Buffer.concat(output))));
        }
      });
    });
  });
}

/** The group has the number of the child, whose process is not yet waited for, or whose group outlived it. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** It shares its processors with the webhook, which goes first. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}

const WHY: Readonly<Record<string, string>> = { ENOENT: 'is not there', EACCES: 'may not be run' };

function missing(error: unknown): ProgramError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const why = WHY[code] ?? `cannot be started (${code})`;
  return new ProgramError('missing', `it ${why}`, '', error);
}

function text(bytes: Buffer): string {
  return bytes.toString('utf8');
}
