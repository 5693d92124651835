import { isUtf8 } from 'node:buffer';
import type { CatalogueSource, KevPlace, Validators } from '../../catalogues/index.ts';
import type { Outbound } from '../transport/index.ts';
import { FeedError } from './feed-error.ts';
import { fetchFeed } from './fetch-feed.ts';
import { readFeed } from './read-feed.ts';
import { MAX_RATIO, unpack } from './unpack.ts';
import type { FeedWords } from './words.ts';

/** Milliseconds for a whole fetch. */
const TIMEOUT = 60_000;
const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

/** FeedOptions say how a feed is fetched. */
export interface FeedOptions {
  /** 60,000 unless said. */
  readonly timeoutMs?: number;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/** FeedKind says how one kind of feed is read. */
export interface FeedKind<T> {
  readonly words: FeedWords;
  /** Bytes, packed and unpacked. */
  readonly max: number;
  /** Reads the text; `file` is where it came from. Throws FeedError `invalid_report`. */
  read(text: string, file: string): T;
}

/**
 * openFeed makes the source that a setting names, under that name; null where there is none to ask. Nothing is asked yet. Both an answer
 * and a file may be packed with gzip. Asking throws FeedError.
 */
export function openFeed<T>(
  name: string,
  place: KevPlace,
  kind: FeedKind<T>,
  { timeoutMs = TIMEOUT, outbound }: FeedOptions = {},
): CatalogueSource<T> | null {
  const { words, max } = kind;
  const read = async (bytes: Buffer, file: string): Promise<T> =>
    kind.read(await textOf(bytes, file, kind), file);
  switch (place.kind) {
    case 'off':
      return null;
    case 'file': {
      const { path } = place;
      return {
        name,
        ask: async () => ({
          kind: 'new',
          value: await read(await readFeed(path, max, words), path),
          validators: NO_VALIDATORS,
        }),
      };
    }
    case 'http': {
      const { url } = place;
      return {
        name,
        async ask(known, signal) {
          const fetched = await fetchFeed({ url, known, max, words, timeoutMs, signal, outbound });
          if (fetched === null) return { kind: 'same' };
          const value = await read(fetched.bytes, `${url.origin}${url.pathname}`);
          return { kind: 'new', value, validators: fetched.validators };
        },
      };
    }
  }
}

async function textOf(
  packed: Buffer,
  file: string,
  { max, words: { noun } }: Pick<FeedKind<unknown>, 'max' | 'words'>,
): Promise<string> {
  const unpacked = await unpack(packed, max);
  if ('fault' in unpacked) {
    const isBomb = unpacked.fault === 'bomb';
    throw new FeedError(
      isBomb ? 'too_large' : 'invalid_report',
      file,
      isBomb
        ? `the packed ${noun} unpacks to more than ${max / 1_048_576} MiB, or to more than ${MAX_RATIO} times its size`
        : `the packed ${noun} is damaged, or was cut off`,
    );
  }
  const { bytes } = unpacked;
  if (!isUtf8(bytes)) throw new FeedError('invalid_report', file, `the ${noun} is not UTF-8 text`);
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
