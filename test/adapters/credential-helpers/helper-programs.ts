import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

/** withoutShell skips where the programs of these tests cannot run. */
export const withoutShell =
  process.platform === 'win32' ? 'credential helpers of these tests are shell scripts' : false;

/** HelperPrograms is a folder of credential helpers, which note each call. */
export interface HelperPrograms {
  readonly folder: string;
  /** With the folder before everything else in its PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes `docker-credential-NAME`; `script` runs after its call was noted, with the server in `$server`. */
  add(name: string, script: string): void;
  /** A config.json in a directory of its own, for DOCKER_CONFIG. */
  config(document: object): string;
  /** Each call: its program, its arguments and what it read. */
  calls(): readonly string[];
  /** A pipe, and what ends once nobody has it open for writing any more. */
  pipe(): { readonly path: string; readonly ended: Promise<unknown> };
}

/** helperPrograms makes an empty folder, gone after the test. */
export function helperPrograms(t: TestContext): HelperPrograms {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-helpers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const notes = join(folder, 'calls');
  let count = 0;
  return {
    folder,
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: folder },
    add(name, script) {
      const path = join(bin, `docker-credential-${name}`);
      const note = `server=$(cat); printf '%s|%s|%s\\n' "\${0##*/}" "$*" "$server" >> '${notes}'`;
      writeFileSync(path, `#!/bin/sh\n${note}\n${script}\n`);
      chmodSync(path, 0o755);
    },
    config(document) {
      const directory = join(folder, `config-${(count += 1)}`);
      mkdirSync(directory);
      writeFileSync(join(directory, 'config.json'), JSON.stringify(document));
      return directory;
    },
    calls: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n') : []),
    pipe() {
      const path = join(folder, `pipe-${(count += 1)}`);
      execFileSync('mkfifo', [path]);
      const ended = promisify(execFile)('cat', [path]);
      t.after(() => void ended.child.kill());
      return { path, ended };
    },
  };
}

/** answering writes a credential as helpers do. */
export function answering(username: string, secret: string): string {
  return `printf '{"ServerURL":"%s","Username":"${username}","Secret":"${secret}"}\\n' "$server"`;
}

/** NOT_FOUND is how a helper says that it keeps nothing. */
export const NOT_FOUND = "echo 'credentials not found in native keychain'; exit 1";
