import { randomBytes } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** randomLetters gives this many letters and digits from 2 to 7, each of 5 random bits: 16 of them nobody guesses. */
export function randomLetters(count: number): string {
  return Array.from(randomBytes(count), (byte) => LETTERS[byte & 31]).join('');
}
