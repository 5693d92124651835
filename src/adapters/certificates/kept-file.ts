import { hash, randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SecretStore } from '../../certificates/index.ts';

/**
 * keptFile keeps in a file, which only its owner reads, what a cluster keeps in a Secret. It is written beside and put in place whole; only one
 * process writes it.
 */
export function keptFile(path: string): SecretStore {
  const text = async (): Promise<string | null> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  };
  const write = async (data: Readonly<Record<string, string>>): Promise<boolean> => {
    const beside = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      const file = await open(beside, 'wx', 0o600);
      try {
        await file.writeFile(JSON.stringify(data));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    const folder = await open(dirname(path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return true;
  };
  return {
    async read() {
      const held = await text();
      return held === null ? null : { data: textsIn(held), version: versionOf(held) };
    },
    create: async (data) => (await text()) === null && write(data),
    replace: async (data, version) => {
      const held = await text();
      return held !== null && versionOf(held) === version && write(data);
    },
  };
}

/** What else is in it is left out: a reader of it finds that something is missing. */
function textsIn(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

function versionOf(text: string): string {
  return hash('sha256', text, 'hex');
}
