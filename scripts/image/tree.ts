import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { extract, pack } from 'tar-stream';

/** One entry of a layer. `mode` holds the permission bits; the owner is root unless `owner` says another uid and gid. */
export type Entry = { mode: number; owner?: number } & (
  | { type: 'file'; data: Uint8Array }
  | { type: 'directory' }
  | { type: 'symlink'; target: string }
);

/** A layer before it is an archive: paths without a slash at either end, each once. */
export type Tree = Map<string, Entry>;

const FILE = 0o644;
const PROGRAM = 0o755;
const FOLDER = 0o755;

/** put adds a file that everyone may read. */
export function put(tree: Tree, path: string, data: string | Uint8Array, mode = FILE): void {
  tree.set(path, { type: 'file', mode, data: typeof data === 'string' ? Buffer.from(data) : data });
}

/** putProgram adds a file that everyone may read and run. */
export function putProgram(tree: Tree, path: string, data: string | Uint8Array): void {
  put(tree, path, data, PROGRAM);
}

/** putFolder adds what stands under a folder of this machine. Permissions of this machine do not count. */
export function putFolder(
  tree: Tree,
  path: string,
  folder: string,
  keep: (path: string) => boolean = () => true,
): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const from = join(folder, name);
    if (statSync(from).isFile() && keep(name)) put(tree, posix.join(path, name), readFileSync(from));
  }
}

/** putArchive adds the entries of a tar archive that `keep` wants. Set-user-id and write bits for others are dropped. */
export async function putArchive(
  tree: Tree,
  archive: Buffer,
  keep: (path: string) => boolean,
): Promise<void> {
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) {
    const path = posix
      .normalize(entry.header.name)
      .replace(/^\.?\//, '')
      .replace(/\/$/, '');
    const parts: Uint8Array[] = [];
    for await (const part of entry) parts.push(part as Uint8Array);
    if (path === '' || path === '.' || !keep(path)) continue;
    const mode = (entry.header.mode ?? FILE) & 0o755;
    if (entry.header.type === 'file') tree.set(path, { type: 'file', mode, data: Buffer.concat(parts) });
    else if (entry.header.type === 'symlink')
      tree.set(path, { type: 'symlink', mode: 0o777, target: entry.header.linkname ?? '' });
    else if (entry.header.type === 'link') tree.set(path, linked(tree, path, entry.header.linkname ?? ''));
  }
}

function linked(tree: Tree, path: string, target: string): Entry {
  const found = tree.get(posix.normalize(target).replace(/^\.?\//, ''));
  if (found === undefined)
    throw new Error(`${path} is a link to ${target}, which is not in the archive before it`);
  return found;
}

/** toTar writes a layer: entries in the order of their paths, with the folders that they stand in, all of one time (in seconds). */
export async function toTar(tree: Tree, time: number): Promise<Buffer> {
  const writer = pack();
  const parts: Uint8Array[] = [];
  const read = (async () => {
    for await (const part of writer) parts.push(part as Uint8Array);
  })();
  const mtime = new Date(time * 1000);
  for (const [path, entry] of withFolders(tree)) {
    const header = {
      name: path,
      mode: entry.mode,
      uid: entry.owner ?? 0,
      gid: entry.owner ?? 0,
      uname: '',
      gname: '',
      mtime,
    };
    if (entry.type === 'file') writer.entry({ ...header, type: 'file' }, Buffer.from(entry.data));
    else if (entry.type === 'symlink') writer.entry({ ...header, type: 'symlink', linkname: entry.target });
    else writer.entry({ ...header, name: `${path}/`, type: 'directory' });
  }
  writer.finalize();
  await read;
  return Buffer.concat(parts);
}

function withFolders(tree: Tree): [string, Entry][] {
  const all: Tree = new Map(tree);
  for (const path of tree.keys())
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder))
      if (!all.has(folder)) all.set(folder, { type: 'directory', mode: FOLDER });
  return [...all].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
