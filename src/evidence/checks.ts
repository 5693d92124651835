import { isIpoError, type IpoError } from '../base/index.ts';
import type { Package } from './package/open.ts';

/** PACKAGE_CHECKS are what verifying a package looks at, in the order in which it tells of it. */
export const PACKAGE_CHECKS = [
  'files',
  'sums',
  'signature',
  'statement',
  'timestamp',
  'key',
  'rows',
  'checkpoint',
  'tables',
] as const;

/** PackageCheck is one thing that was looked at. */
export interface PackageCheck {
  readonly check: (typeof PACKAGE_CHECKS)[number];
  readonly state: 'held' | 'failed' | 'not_checked';
  readonly text: string;
}

/** Say adds what a check has found. */
export type Say = (check: PackageCheck['check'], text: string) => void;

/** readSafely reads a small file of a package; null where it is not there or cannot be read, which another check tells. */
export async function readSafely(pkg: Package, name: string): Promise<Buffer | null> {
  try {
    return await pkg.read(name);
  } catch (error) {
    if (isIpoError(error)) return null;
    throw error;
  }
}

/** placed says what an error says, with the file and the line where it knows them. */
export function placed({ message, place }: IpoError): string {
  if (place === undefined) return message;
  return [place.file, place.line, ` ${message}`].filter((part) => part !== undefined).join(':');
}
