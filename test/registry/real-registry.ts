import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Ending } from './images.ts';

/** programOf finds a program: as an environment variable names it, else on the PATH; null where there is none. */
export function programOf(name: string, variable: string): string | null {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return given;
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** REGISTRY is Debian's `docker-registry`, or what REGISTRY_BIN names. */
export const REGISTRY = programOf('docker-registry', 'REGISTRY_BIN');

/** skipReal is false, or why tests against a real registry are skipped. */
export const skipReal: string | false =
  REGISTRY === null ? 'docker-registry is neither on the PATH nor named by REGISTRY_BIN' : false;

/** RealRegistry is a running registry. */
export interface RealRegistry {
  readonly host: string;
  readonly url: string;
}

/** RealOptions say how it is run. */
export interface RealOptions {
  /** User and password that it asks for, by Basic. */
  readonly htpasswd?: { readonly user: string; readonly hash: string };
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Directory of its content, to share with another one; of its own unless given. */
  readonly content?: string;
}

/** startRealRegistry runs one on loopback, with its files in a directory that goes with the test. */
export async function startRealRegistry(t: Ending, options: RealOptions = {}): Promise<RealRegistry> {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-registry-'));
  const port = await freePort();
  const lines = [
    'version: 0.1',
    'log: {level: error, accesslog: {disabled: true}}',
    `storage: {filesystem: {rootdirectory: ${JSON.stringify(options.content ?? join(directory, 'data'))}}, delete: {enabled: true}}`,
    `http: {addr: "127.0.0.1:${port}"${tlsOf(directory, options)}}`,
  ];
  if (options.htpasswd !== undefined) {
    const file = join(directory, 'htpasswd');
    writeFileSync(file, `${options.htpasswd.user}:${options.htpasswd.hash}\n`);
    lines.push(`auth: {htpasswd: {realm: test, path: ${JSON.stringify(file)}}}`);
  }
  const config = join(directory, 'config.yml');
  writeFileSync(config, `${lines.join('\n')}\n`);
  const child = spawn(REGISTRY ?? '', ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString('utf8')).slice(-4000)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  const scheme = options.tls === undefined ? 'http' : 'https';
  await untilListening(port, () => (child.exitCode === null ? null : said));
  return { host: `127.0.0.1:${port}`, url: `${scheme}://127.0.0.1:${port}` };
}

/** runs tells whether a program can be run at all. */
export function canRun(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}

function tlsOf(directory: string, { tls }: RealOptions): string {
  if (tls === undefined) return '';
  const [cert, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  writeFileSync(cert, tls.cert);
  writeFileSync(key, tls.key);
  return `, tls: {certificate: ${JSON.stringify(cert)}, key: ${JSON.stringify(key)}}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A program that starts tells nobody when it listens, so that it is asked until it does. */
async function untilListening(port: number, failure: () => string | null): Promise<void> {
  const { connect } = await import('node:net');
  const end = performance.now() + 20_000;
  for (;;) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isUp) return;
    const why = failure();
    if (why !== null || performance.now() > end)
      throw new Error(`docker-registry does not listen: ${why ?? 'too slow'}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
