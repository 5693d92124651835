import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// The compiled form of the bundle is kept by Node itself, which halves the time to the first output.
enableCompileCache();

// A package has the bundle alone; a checkout that was not built yet runs its sources.
const bundle = new URL('../dist/main.js', import.meta.url);
const { run } = await import(existsSync(bundle) ? bundle.href : new URL('./main.ts', import.meta.url).href);
process.exitCode = await run(process.argv.slice(2));
