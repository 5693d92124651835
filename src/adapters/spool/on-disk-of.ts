import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** isOnDiskOf tells whether what a directory holds is as durable as a file: on one disk with it; false for no file. Throws as `statSync` does. */
export function isOnDiskOf(directory: string, file: string | null): boolean {
  return file !== null && statSync(directory).dev === statSync(dirname(file)).dev;
}
