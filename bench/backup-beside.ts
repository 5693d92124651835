import { join } from 'node:path';
import { backupInChild } from '../src/app/backup/child.ts';
import { lowerPriority, toIdleClass } from '../src/app/processes/lower-priority.ts';
import { LOWER_BY } from '../src/app/processes/part-messages.ts';
import { useProgramsOf } from '../src/app/programs/worker-entry.ts';

/**
 * Backs a database up again and again until its input ends: `backup-beside.ts DATABASE FILE`, with the priority that the service's part has in
 * the image. Prints a line once it has begun, and in the end how many backups were whole.
 */
const [url = '', out = ''] = process.argv.slice(2);
const over = new AbortController();
process.stdin.resume();
process.stdin.on('end', () => over.abort());

useProgramsOf(join(import.meta.dirname, '../dist')); // as in the image: sources would be compiled for every backup
lowerPriority(LOWER_BY.service);
toIdleClass();
process.stdout.write('began\n');
let backups = 0;
try {
  while (!over.signal.aborted) {
    await backupInChild({ url, out, program: 'bench' }, over.signal, { comes: true });
    backups += 1;
  }
} catch (error) {
  if (!over.signal.aborted) throw error;
}
process.stdout.write(`${backups}\n`);
process.exit(0);
