import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { EVIL } from './hostile-texts.ts';

/** Opened is what a page came to in a browser. */
export interface Opened {
  /** Scripts that left a mark on the page that holds it and some others. */
  readonly ran: number;
  /** Names of its elements, and of its attributes as `element@attribute`, each once. */
  readonly names: readonly string[];
  /** Headings of the first level. */
  readonly headings: number;
}

/** Browsed is what a browser made of pages. */
export interface Browsed {
  readonly pages: readonly Opened[];
  /** What was asked for beside the pages themselves, as host and path. */
  readonly asked: readonly string[];
}

/** chromiumPath finds Chromium; null where there is none. */
export function chromiumPath(): string | null {
  const { CHROME, PATH = '' } = process.env;
  const named = PATH.split(delimiter).map((folder) => join(folder, 'chromium'));
  return [...(CHROME === undefined ? [] : [CHROME]), ...named].find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How many frames are open at once. */
const AT_ONCE = 5;

/** Opens each page in a frame of its own, some at once, looks at what became of it, and posts that. */
const FRAME_SCRIPT = `
async function open(at) {
  const frame = document.createElement('iframe');
  top.ran = 0;
  await new Promise((done) => { frame.onload = done; frame.src = '/page/' + at; document.body.append(frame); });
  await new Promise((done) => setTimeout(done, 5));
  const names = new Set();
  for (const element of frame.contentDocument?.querySelectorAll('*') ?? []) {
    const name = element.tagName.toLowerCase();
    names.add(name);
    for (const { name: attribute } of element.attributes) names.add(name + '@' + attribute);
  }
  const headings = frame.contentDocument?.querySelectorAll('h1').length ?? 0;
  frame.remove();
  return { names: [...names].sort(), headings };
}
async function all() {
  const pages = [];
  for (let from = 0; from < COUNT; from += AT_ONCE) {
    top.ran = 0;
    const some = await Promise.all(Array.from({ length: Math.min(AT_ONCE, COUNT - from) }, (_, n) => open(from + n)));
    pages.push(...some.map((page) => ({ ...page, ran: top.ran })));
  }
  await fetch('/done', { method: 'POST', body: JSON.stringify(pages) });
}
void all();`;

/**
 * browse opens pages in headless Chromium. Every name but this machine is unknown to it; ${EVIL} leads to the same server, which notes whoever
 * comes. It ends with the test.
 */
export async function browse(t: TestContext, chromium: string, pages: readonly string[]): Promise<Browsed> {
  const asked: string[] = [];
  let done: (pages: Opened[]) => void = () => undefined;
  const ended = new Promise<Opened[]>((resolve) => (done = resolve));
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '', headers, method } = request;
    const page = pages[Number(/^\/page\/(\d+)$/.exec(url)?.[1] ?? -1)];
    const isOwn = headers.host?.startsWith('127.0.0.1:') === true;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (isOwn && page !== undefined) response.end(page);
    else if (isOwn && url === '/')
      response.end(`<!doctype html><body><script>${script(pages.length)}</script>`);
    else if (isOwn && url === '/done' && method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end();
        done(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Opened[]);
      });
    } else {
      if (url !== '/favicon.ico' || !isOwn) asked.push(`${headers.host}${url}`);
      response.writeHead(404).end();
    }
  };
  const server = createServer(answer);
  server.on('clientError', (_error, socket) => {
    asked.push('a connection that is no HTTP');
    socket.destroy();
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'ipo-chromium-'));
  const browser = spawn(chromium, [...ARGUMENTS, ...argumentsFor(port, folder)], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => browser.once('exit', () => resolve()));
  t.after(async () => {
    browser.kill('SIGKILL');
    await exited;
    server.closeAllConnections();
    await new Promise((closed) => void server.close(closed));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  const broke = exited.then((): never => {
    throw new Error('Chromium ended before it had opened all pages');
  });
  return { pages: await Promise.race([ended, broke]), asked };
}

const ARGUMENTS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
] as const;

function argumentsFor(port: number, folder: string): string[] {
  return [
    `--user-data-dir=${folder}`,
    `--host-resolver-rules=MAP ${EVIL}:80 127.0.0.1:${port}, MAP ${EVIL}:443 127.0.0.1:${port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    `http://127.0.0.1:${port}/`,
  ];
}

function script(count: number): string {
  return `const COUNT = ${count}, AT_ONCE = ${AT_ONCE};${FRAME_SCRIPT}`;
}
