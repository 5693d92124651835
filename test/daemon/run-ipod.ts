import { run } from '../../daemon/main.ts';

/** The daemon as a program. */
async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2));
}

void main();
