import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { asksNobody } from '../../src/app/running/offline.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Ended is how a daemon ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Daemon is `ipod` as a process. */
export interface Daemon {
  readonly process: ChildProcess;
  /** Its address, once it answers; null when it ended before. */
  readonly url: Promise<string | null>;
  readonly ended: Promise<Ended>;
}

/** startDaemon starts `ipod` from its sources, with nothing of our environment but the given settings; it ends with its test. */
export function startDaemon(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = 'daemon/main.ts',
): Daemon {
  const code = `import(${JSON.stringify(resolve(ROOT, program))}).then(async (main) => { process.exitCode = await main.run(process.argv.slice(1)); })`;
  const child = spawn(process.execPath, ['-e', code, '--', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...asksNobody(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  const url = Promise.withResolvers<string | null>();
  const look = (): void => {
    const [, found] = /"url":"([^"]+)".*"message":"service answers"/.exec(out + err) ?? [];
    if (found !== undefined) url.resolve(found);
  };
  child.stdout?.on('data', (text: Buffer) => {
    out += text.toString('utf8');
    look();
  });
  child.stderr?.on('data', (text: Buffer) => {
    err += text.toString('utf8');
    look();
  });
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code, signal) => {
      url.resolve(null);
      done({ code, signal, out, err });
    });
  });
  return { process: child, url: url.promise, ended };
}
