import { isUtf8 } from 'node:buffer';
import type { FetchedKev, KevPlace, KevSource, Validators } from '../../catalogues/index.ts';
import { FeedError } from './feed-error.ts';
import { fetchFeed } from './fetch-feed.ts';
import { MAX_CATALOGUE_BYTES, readKevCatalogue } from './kev-catalogue.ts';
import { readFeed } from './read-feed.ts';
import { MAX_RATIO, unpack } from './unpack.ts';

/** Milliseconds for a whole fetch. */
const TIMEOUT = 60_000;
const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

/** KevSourceOptions bound a fetch otherwise than a service does: for tests. */
export interface KevSourceOptions {
  /** 60,000 unless said. */
  readonly timeoutMs?: number;
}

/**
 * openKevSource makes the source of the catalogue that the setting names; null where there is none to ask. Nothing is asked yet. Both an
 * answer and a file may be packed with gzip.
 */
export function openKevSource(
  name: string,
  place: KevPlace,
  { timeoutMs = TIMEOUT }: KevSourceOptions = {},
): KevSource | null {
  switch (place.kind) {
    case 'off':
      return null;
    case 'file': {
      const { path } = place;
      return {
        name,
        ask: async () => toCatalogue(await readFeed(path, MAX_CATALOGUE_BYTES), path, NO_VALIDATORS),
      };
    }
    case 'http': {
      const { url } = place;
      return {
        name,
        async ask(known, signal) {
          const fetched = await fetchFeed({ url, known, max: MAX_CATALOGUE_BYTES, timeoutMs, signal });
          if (fetched === null) return { kind: 'same' };
          return toCatalogue(fetched.bytes, `${url.origin}${url.pathname}`, fetched.validators);
        },
      };
    }
  }
}

async function toCatalogue(packed: Buffer, file: string, validators: Validators): Promise<FetchedKev> {
  const unpacked = await unpack(packed, MAX_CATALOGUE_BYTES);
  if ('fault' in unpacked) {
    const isBomb = unpacked.fault === 'bomb';
    throw new FeedError(
      isBomb ? 'too_large' : 'invalid_report',
      file,
      isBomb
        ? `the packed catalogue unpacks to more than ${MAX_CATALOGUE_BYTES / 1_048_576} MiB, or to more than ${MAX_RATIO} times its size`
        : 'the packed catalogue is damaged, or was cut off',
    );
  }
  const { bytes } = unpacked;
  if (!isUtf8(bytes)) throw new FeedError('invalid_report', file, 'the catalogue is not UTF-8 text');
  const text = bytes.toString('utf8');
  const catalogue = readKevCatalogue(text.startsWith('\uFEFF') ? text.slice(1) : text, file);
  return { kind: 'catalogue', catalogue, validators };
}
