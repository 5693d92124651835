import { oneLine } from '../base/index.ts';

/** MAX_FOREIGN is how much of a foreign value is shown, in characters. */
const MAX_FOREIGN = 200;

/**
 * foreign makes a value that comes from outside (a package, a version, an image's name or label) one line of what can be seen, in one
 * normal form, cut with an ellipsis. What a tracker's markup would do with the rest is the renderer's to undo.
 */
export function foreign(value: string, max: number = MAX_FOREIGN): string {
  return oneLine(value, max) || '–';
}

/** isPlainId tells whether an id of a vulnerability may stand in a command or an address as it is. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(id);
}
