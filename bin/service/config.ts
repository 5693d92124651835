import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { IpoError } from '../../src/base/index.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** KnownServer is what is kept of a service that one has signed in to. */
export interface KnownServer {
  /** Secret of the session, or a token. */
  readonly token: string | null;
  /** Path of a PEM file, as `--ca` takes it. */
  readonly ca?: string;
  /** Mark of this machine from the last sign-in with a password, which strangers cannot lock out. */
  readonly device?: string;
}

/** ServiceConfig is the file of services known to this user; `current` is the one called when none is named. */
export interface ServiceConfig {
  readonly current: string | null;
  /** By address, as parseServer gives it. */
  readonly servers: Readonly<Record<string, KnownServer>>;
}

/** serviceConfigPath is where the file is: `$XDG_CONFIG_HOME/ipo/config.json`, else below `~/.config`. */
export function serviceConfigPath(env: Terminal['env']): string {
  const { XDG_CONFIG_HOME: xdg, HOME: home } = env;
  const base = xdg !== undefined && xdg.startsWith('/') ? xdg : join(home ?? homedir(), '.config');
  return join(base, 'ipo', 'config.json');
}

/** readServiceConfig reads the file; where there is none, nothing is known. Throws `invalid_config`, `unreadable`. */
export function readServiceConfig(env: Terminal['env']): ServiceConfig {
  const path = serviceConfigPath(env);
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new IpoError('unreadable', `${path}: other users can read it, and it contains tokens`, {
        hint: `Call: chmod 600 ${path}`,
      });
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { current: null, servers: {} };
    if (error instanceof IpoError) throw error;
    throw new IpoError('unreadable', `${path}: cannot be read (${code ?? 'unknown error'})`, {
      cause: error,
    });
  }
  return parse(text, path);
}

function parse(text: string, path: string): ServiceConfig {
  const damaged = (): IpoError =>
    new IpoError('invalid_config', `${path}: this is not a file that ipo login wrote`, {
      hint: 'Remove it and sign in again with `ipo login SERVER`',
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged();
  }
  if (!isRecord(value) || !isRecord(value['servers'])) throw damaged();
  const { current, servers } = value;
  const known: Record<string, KnownServer> = {};
  for (const [server, kept] of Object.entries(servers)) {
    if (!isRecord(kept)) throw damaged();
    const { token, ca, device } = kept;
    known[server] = {
      token: typeof token === 'string' ? token : null,
      ...(typeof ca === 'string' && { ca }),
      ...(typeof device === 'string' && { device }),
    };
  }
  return {
    current: typeof current === 'string' && Object.hasOwn(known, current) ? current : null,
    servers: known,
  };
}

/** rememberServer keeps a service and makes it the current one. Throws `unwritable`. */
export function rememberServer(env: Terminal['env'], server: string, kept: KnownServer): void {
  const { servers } = readServiceConfig(env);
  write(env, { current: server, servers: { ...servers, [server]: kept } });
}

/** forgetServer drops what is kept of a service; gives whether there was something. */
export function forgetServer(env: Terminal['env'], server: string): boolean {
  const { current, servers } = readServiceConfig(env);
  if (!Object.hasOwn(servers, server)) return false;
  const { [server]: _dropped, ...rest } = servers;
  write(env, { current: current === server ? (Object.keys(rest)[0] ?? null) : current, servers: rest });
  return true;
}

/** Written whole or not at all, and readable only by its owner from its first byte on. */
function write(env: Terminal['env'], config: ServiceConfig): void {
  const path = serviceConfigPath(env);
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.ipo-tmp`);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(config, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new IpoError('unwritable', `${path}: cannot be written (${code ?? 'unknown error'})`, {
      hint: 'Set XDG_CONFIG_HOME to another directory',
      cause: error,
    });
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
