import { isUtf8 } from 'node:buffer';
import type { FetchedReleases, KevPlace, ReleaseSource, Validators } from '../../catalogues/index.ts';
import { FeedError } from './feed-error.ts';
import { fetchFeed } from './fetch-feed.ts';
import { readFeed } from './read-feed.ts';
import { readReleaseData } from './release-data.ts';
import { unpack } from './unpack.ts';

/** Milliseconds for a whole fetch. */
const TIMEOUT = 60_000;
/** What is published of all products has some megabytes. */
const MAX_RELEASE_BYTES = 64 * 1024 * 1024;
const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

/** ReleaseSourceOptions bound a fetch otherwise than a service does: for tests. */
export interface ReleaseSourceOptions {
  /** 60,000 unless said. */
  readonly timeoutMs?: number;
}

/**
 * openReleaseSource makes the source of the release data of operating systems that the setting names, read as `readKevSource` reads such
 * places; null where there is none to ask. Nothing is asked yet. Both an answer and a file may be packed with gzip.
 */
export function openReleaseSource(
  name: string,
  place: KevPlace,
  { timeoutMs = TIMEOUT }: ReleaseSourceOptions = {},
): ReleaseSource | null {
  switch (place.kind) {
    case 'off':
      return null;
    case 'file': {
      const { path } = place;
      return {
        name,
        ask: () =>
          inOurWords(async () => toReleases(await readFeed(path, MAX_RELEASE_BYTES), path, NO_VALIDATORS)),
      };
    }
    case 'http': {
      const { url } = place;
      return {
        name,
        ask: (known, signal) =>
          inOurWords(async () => {
            const fetched = await fetchFeed({ url, known, max: MAX_RELEASE_BYTES, timeoutMs, signal });
            if (fetched === null) return { kind: 'same' };
            return toReleases(fetched.bytes, `${url.origin}${url.pathname}`, fetched.validators);
          }),
      };
    }
  }
}

/** What fetches and reads speaks of the other catalogue and its setting. */
async function inOurWords<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof FeedError) || !error.hint?.includes('kev.source')) throw error;
    const message = error.message.replace('the catalogue', 'the release data');
    const hint = error.hint
      .replaceAll('kev.source', 'endOfLife.source')
      .replaceAll('/etc/kev/', '/etc/end-of-life/')
      .replace('the catalogue', 'the release data');
    throw new FeedError(error.code as FeedFault, error.place?.file ?? '', message, hint, error);
  }
}

type FeedFault = ConstructorParameters<typeof FeedError>[0];

async function toReleases(packed: Buffer, file: string, validators: Validators): Promise<FetchedReleases> {
  const unpacked = await unpack(packed, MAX_RELEASE_BYTES);
  if ('fault' in unpacked) {
    if (unpacked.fault === 'bomb')
      throw new FeedError('too_large', file, 'the packed release data unpacks to far more than there can be');
    throw new FeedError('invalid_report', file, 'the packed release data is damaged, or was cut off');
  }
  const { bytes } = unpacked;
  if (!isUtf8(bytes)) throw new FeedError('invalid_report', file, 'the release data is not UTF-8 text');
  const text = bytes.toString('utf8');
  const data = readReleaseData(text.startsWith('\uFEFF') ? text.slice(1) : text, file);
  return { kind: 'releases', data, validators };
}
