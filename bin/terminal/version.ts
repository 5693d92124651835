import manifest from '../../package.json' with { type: 'json' };

/** VERSION is the version of the package; the bundle has it written in. */
export const VERSION: string = manifest.version;
