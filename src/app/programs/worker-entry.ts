import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** workerEntry gives the program of a process or thread of ours: the one that the package emits beside its others, else its source. */
export function workerEntry(
  name:
    | 'replay-worker'
    | 'backup-worker'
    | 'evidence-worker'
    | 'verify-worker'
    | 'log-worker'
    | 'call-worker'
    | 'hash-worker'
    | 'webhook-part'
    | 'service-part',
): string {
  const emitted = join(import.meta.dirname, `${name}.cjs`);
  return existsSync(emitted) ? emitted : join(import.meta.dirname, `../../../daemon/${name}.ts`);
}
