/** Bounds of what is taken from a registry, and of what is remembered of it. Bytes and milliseconds. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** MAX_MANIFEST is the most that registries have to take for a manifest, by the distribution specification. */
export const MAX_MANIFEST = 4 * MIB;
/** MAX_CONFIG bounds an image's configuration; those of real images have some kilobytes. */
export const MAX_CONFIG = 4 * MIB;
/** MAX_TOKEN_ANSWER bounds the answer of a token service. */
export const MAX_TOKEN_ANSWER = 256 * KIB;
/** MAX_REFERRERS is how many referrers are read, and MAX_PAGES over how many pages. */
export const MAX_REFERRERS = 1000;
export const MAX_PAGES = 20;
/** MAX_REDIRECTS is how often content may be somewhere else. */
export const MAX_REDIRECTS = 5;
/** MAX_NESTING is how deep an index may stand in an index. */
export const MAX_NESTING = 3;
/** MAX_CREDENTIALS is how many credentials are tried for one repository. */
export const MAX_CREDENTIALS = 16;

/** CALL_MS is for one call, from the look-up of the name to the last byte; ASK_MS for a whole question, which may take several. */
export const CALL_MS = 20_000;
export const ASK_MS = 60_000;
/** CONNECT_MS is until a connection stands. */
export const CONNECT_MS = 5_000;

/** PER_HOST calls are under way to one host at once, and TOTAL to all; others wait for a place. */
export const PER_HOST = 8;
export const TOTAL = 32;

/** CACHE_BYTES are held of content that was read; SMALL_BLOB is the largest blob among it. */
export const CACHE_BYTES = 32 * MIB;
export const SMALL_BLOB = 256 * KIB;
/** CONTENT_MS: content of a digest never changes, so that only the room it takes ends its time. */
export const CONTENT_MS = Number.POSITIVE_INFINITY;
/** TAG_MS is how long a tag is taken to stand for the same; ABSENT_MS how long something is taken to be missing. */
export const TAG_MS = 30_000;
export const ABSENT_MS = 10_000;
/** FAULT_MS is how long a host that could not be asked is not asked the same again. */
export const FAULT_MS = 2_000;
/** DOWN_MS is how long a mirror that could not be asked is passed over, where the registry itself can be asked. */
export const DOWN_MS = 15_000;

/** SILENT_MS is how long a registry may take to say what a tag stands for, before it counts as one that does not answer. */
export const SILENT_MS = 1_200;
/** A host that does not answer is asked again after FIRST_AWAY_MS, then twice as long each time, up to LONGEST_AWAY_MS. */
export const FIRST_AWAY_MS = 2_000;
export const LONGEST_AWAY_MS = 60_000;
/** MOST_HOSTS_KNOWN are remembered with whether they answer; MOST_TOLD_HOSTS are told of in the log within ten minutes. */
export const MOST_HOSTS_KNOWN = 1_000;
export const MOST_TOLD_HOSTS = 20;
/** NEWCOMERS questions are put at once to hosts that have not answered yet, NEWCOMERS_PER_HOST of them to one. */
export const NEWCOMERS = 8;
export const NEWCOMERS_PER_HOST = 2;
/** LINGER_MS is how long a tag is still waited for when its review no longer does, so that the next review knows it. */
export const LINGER_MS = 5_000;
/** MOST_LOOKUPS of tags are under way at once; more are not begun. */
export const MOST_LOOKUPS = 500;
/** PROBE_WAIT_MS is how long a review waits for a host that did not answer when it was asked last. */
export const PROBE_WAIT_MS = 250;
