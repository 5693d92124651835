import { MAX_VEX_BYTES } from '../../vex/index.ts';
import type { KevPlace } from '../../catalogues/index.ts';
import type { VexSource } from '../../supply-chain/index.ts';
import type { FeedOptions } from './open-feed.ts';
import { FeedError } from './feed-error.ts';
import { fetchFeed } from './fetch-feed.ts';
import { readFeed } from './read-feed.ts';
import { unpack } from './unpack.ts';

/** Milliseconds for a whole fetch. */
const TIMEOUT = 60_000;
/** A bundle holds a certificate, a signature and a proof of a log. */
const MAX_BUNDLE_BYTES = 1024 * 1024;

/** What it is that is read, the document or its bundle, stands before the sentence. */
const WORDS = { noun: 'file', setting: 'vex.sources', mount: '/etc/vex/' };

/** VexPlaces are where a VEX document and its bundle are, as `readKevSource` reads such places. */
export interface VexPlaces {
  readonly document: Exclude<KevPlace, { kind: 'off' }>;
  readonly bundle: Exclude<KevPlace, { kind: 'off' }>;
}

/** VexSourceOptions say how it is fetched. */
export type VexSourceOptions = FeedOptions;

/** openVexSource makes the source of one VEX document; nothing is asked yet. The document may be packed with gzip; its bytes are what is signed. */
export function openVexSource(
  name: string,
  { document, bundle }: VexPlaces,
  { timeoutMs = TIMEOUT, outbound }: VexSourceOptions = {},
): VexSource {
  const read = async (
    what: string,
    place: VexPlaces['document'],
    max: number,
    signal: AbortSignal,
  ): Promise<Buffer> => {
    const file = place.kind === 'file' ? place.path : `${place.url.origin}${place.url.pathname}`;
    try {
      if (place.kind === 'file') return await readFeed(place.path, max, WORDS);
      const { url } = place;
      const call = { url, known: null, max, words: WORDS, timeoutMs, signal, outbound };
      const fetched = await fetchFeed(call);
      if (fetched !== null) return fetched.bytes;
      throw new FeedError(
        'network',
        file,
        `${place.url.host} says that nothing changed, although the service did not ask for changes only`,
      );
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      const message = `${what}: ${error.message}`;
      throw new FeedError(
        codeOf(error),
        file,
        message,
        'Check vex.sources: where the document is, and its bundle',
        error,
      );
    }
  };
  return {
    name,
    async read(signal) {
      const packed = await read('the VEX document', document, MAX_VEX_BYTES, signal);
      const signature = await read('the bundle of the VEX document', bundle, MAX_BUNDLE_BYTES, signal);
      const unpacked = await unpack(packed, MAX_VEX_BYTES);
      if ('fault' in unpacked)
        throw new FeedError(
          unpacked.fault === 'bomb' ? 'too_large' : 'invalid_report',
          name,
          unpacked.fault === 'bomb'
            ? `the packed VEX document unpacks to more than ${MAX_VEX_BYTES / 1_048_576} MiB`
            : 'the packed VEX document is damaged, or was cut off',
        );
      return { bytes: unpacked.bytes, bundle: signature };
    },
  };
}

function codeOf({ code }: FeedError): ConstructorParameters<typeof FeedError>[0] {
  return code === 'invalid_report' || code === 'unreadable' || code === 'too_large' ? code : 'network';
}
