/** VERSION is the version of the package; the bundle has it written in. */
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
