import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplicaName } from '../../replicas/index.ts';
import { syncDirectory } from './segment.ts';
import { SpoolError } from './spool-error.ts';

const FILE = 'replica.json';
const NAME = /^[a-z0-9][a-z0-9.-]{0,50}$/;
/** Characters of a host's name that are kept: with the rest it fits into the key of an annotation. */
const HOST_CHARS = 44;

/**
 * nextLife gives the name that belongs to a spool's directory, and counts the process that asks as its next life. The name is made with
 * the first, of the host's name and something random, so that the same host on another volume is another replica. `another` makes a
 * new one. Durable when it comes back. Throws SpoolError.
 */
export async function nextLife(directory: string, host: string, another = false): Promise<ReplicaName> {
  const path = join(directory, FILE);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const before = another ? null : parse(await readFile(path, 'utf8').catch(unlessMissing));
    const next = before === null ? { name: newName(host), life: 1 } : { ...before, life: before.life + 1 };
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(next)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await syncDirectory(directory);
    return next;
  } catch (error) {
    throw new SpoolError(
      'unwritable',
      `the name of this replica cannot be kept in ${path}: ${(error as Error).message}`,
      { hint: 'The directory must be readable and writable for this user', cause: error },
    );
  }
}

/** readReplicaName gives the name that belongs to a spool's directory, and the number of its last life; null where none is kept. Throws. */
export async function readReplicaName(directory: string): Promise<ReplicaName | null> {
  return parse(await readFile(join(directory, FILE), 'utf8').catch(unlessMissing));
}

function unlessMissing(error: NodeJS.ErrnoException): '' {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** Null for what is not a name: a new one is then safe, since the line of the old one goes on to count. */
function parse(text: string): ReplicaName | null {
  try {
    const { name, life } = JSON.parse(text) as Partial<ReplicaName>;
    const whole = typeof name === 'string' && NAME.test(name) && Number.isSafeInteger(life);
    return whole && Number(life) > 0 ? { name, life: Number(life) } : null;
  } catch {
    return null;
  }
}

function newName(host: string): string {
  const known = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, HOST_CHARS);
  return `${known === '' ? 'replica' : known}-${randomBytes(3).toString('hex')}`;
}
