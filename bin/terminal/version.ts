import manifest from '../../package.json' with { type: 'json' };

/** VERSION is the version of the package; the bundle has it written in. */
export const VERSION: string = manifest.version;

declare const IPO_COMMIT: string | null | undefined;

/** COMMIT is the commit that the bundle was built from; null where the build knew none, or none was built. */
export const COMMIT: string | null = typeof IPO_COMMIT === 'string' ? IPO_COMMIT : null;
