import { statSync } from 'node:fs';

/** isDirectory tells a directory; what is not there, or cannot be looked at, is none. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
