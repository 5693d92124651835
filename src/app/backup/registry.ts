import { openRawBytes } from '../../adapters/files/index.ts';
import { formatTime, IpoError } from '../../base/index.ts';
import { parseMirror, type Artifacts, type Repository } from '../../image/index.ts';
import type { Stdin } from '../doors/build.ts';
import type { OpenArtifacts } from '../registry/ports.ts';

/** What a backup is called in a registry. */
const TYPE = 'application/vnd.ipo.backup.v1';
const LAYER = `${TYPE}+zstd`;

/** OciAddress is a place in a registry: `oci://HOST/PATH`, with a tag or a digest behind it. */
export interface OciAddress extends Repository {
  readonly tag: string | null;
  readonly digest: string | null;
}

/** parseOciAddress reads an address; null for anything that does not begin with `oci://`. Throws `invalid_request` for one that is none. */
export function parseOciAddress(text: string): OciAddress | null {
  if (!text.startsWith('oci://')) return null;
  const [, name = '', tag = null, digest = null] =
    /^oci:\/\/([^@]+?)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ?? [];
  const place = parseMirror(name);
  if (place !== null && place.prefix !== '') return { host: place.host, path: place.prefix, tag, digest };
  throw new IpoError('invalid_request', `${text.slice(0, 200)} is not a valid place in a registry`, {
    hint: 'Write oci://HOST/PATH:TAG, such as oci://registry.example.com/backups/ipo:monday',
  });
}

/** PushedFile is a backup that is pushed. */
export interface PushedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** UTC milliseconds. */
  readonly createdAt: number;
}

/** pushBackup puts a backup into a registry under a tag, and gives the address by which it is read: with its digest. Throws RegistryError. */
export async function pushBackup(
  artifacts: Artifacts,
  { host, path, tag }: Repository & { readonly tag: string },
  file: PushedFile,
  signal: AbortSignal,
): Promise<string> {
  const artifact = {
    type: TYPE,
    layerType: LAYER,
    title: `${tag}.ipobackup`,
    createdAt: formatTime(file.createdAt),
    file: { path: file.path, size: file.bytes, sha256: file.sha256 },
  };
  const digest = await artifacts.push({ host, path }, tag, artifact, signal);
  return `oci://${host}/${path}:${tag}@${digest}`;
}

/** BackupPlace is where the bytes of a backup come from. */
export interface BackupPlace {
  /** Path of a file, `oci://…`, or `-` for stdin. */
  readonly file: string;
  readonly stdin: Stdin;
  /** Opens registries, where the backup is in one. */
  readonly registry: () => Promise<OpenArtifacts>;
  readonly bytes?: ((read: number, size: number | null) => void) | undefined;
}

/** openBackup opens the bytes of a backup. Throws FileError, RegistryError. */
export async function openBackup({
  file,
  stdin,
  registry,
  bytes,
}: BackupPlace): Promise<AsyncIterable<Uint8Array>> {
  const address = parseOciAddress(file);
  if (address === null) return openRawBytes(file === '-' ? stdin : file, bytes);
  const { tag, digest } = address;
  const named = digest ?? tag;
  if (named === null)
    throw new IpoError('invalid_request', `${file} names a repository, not a backup in it`, {
      hint: 'Add its tag: ipo backup list shows those of the schedule',
    });
  const opened = await registry();
  return pulled(opened, address, named, bytes);
}

async function* pulled(
  { artifacts, close }: OpenArtifacts,
  repository: Repository,
  named: string,
  told: BackupPlace['bytes'],
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const { size, bytes } = await artifacts.pull(repository, named, TYPE, new AbortController().signal);
    let read = 0;
    for await (const piece of bytes) {
      told?.((read += piece.length), size);
      yield piece;
    }
  } finally {
    await close();
  }
}
