import manifest from '../../package.json' with { type: 'json' };

declare const IPO_VERSION: string | null | undefined;
declare const IPO_COMMIT: string | null | undefined;

/** VERSION is the version of the package; the bundle has it written in, and that of a release its own. */
export const VERSION: string = typeof IPO_VERSION === 'string' ? IPO_VERSION : manifest.version;

/** COMMIT is the commit that the bundle was built from; null where the build knew none, or none was built. */
export const COMMIT: string | null = typeof IPO_COMMIT === 'string' ? IPO_COMMIT : null;
