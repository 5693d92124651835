import { invalidField } from './account-error.ts';
import { guessSteps, repeatedPiece } from './password-pieces.ts';

/** MIN_PASSWORD and MAX_PASSWORD count code points. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 256;

/**
 * normalisePassword gives a password as it is hashed: NFKC, as NIST SP 800-63B asks, so that one password is one whatever the
 * keyboard composes. Nothing is cut off and no letter folded.
 */
export function normalisePassword(password: string): string {
  return password.normalize('NFKC');
}

/** isTooLong tells a password that cannot be right because no account may have it; nothing is hashed for it. */
export function isTooLong(password: string): boolean {
  return password.length > 2 * MAX_PASSWORD || [...password].length > MAX_PASSWORD;
}

/**
 * MIN_STEPS is how many things a guesser must get right, where a known word, a run of keys or a repetition is one thing (a word
 * two): twelve random characters are twelve, four random words that are among the known ones eight.
 */
const MIN_STEPS = 8;

/**
 * checkPassword refuses a password that is too short, too long, a repetition, put together from few pieces that guessers try, or made
 * of the person's own e-mail address or name.
 * Throws `invalid_request` with the path `password`.
 */
export function checkPassword(
  password: string,
  person: { readonly email: string | null; readonly name: string | null },
): void {
  if (isTooLong(password)) throw refused(`it has more than ${MAX_PASSWORD} characters`);
  // A lone surrogate has no UTF-8: two such passwords would be one.
  if (!password.isWellFormed()) throw refused('it is not valid Unicode text');
  if (/\p{Cc}/u.test(password))
    throw refused('it holds a control character, such as a tab or the end of a line');
  const normal = normalisePassword(password);
  // One character may become eighteen; what follows takes time by the square of its length.
  if (isTooLong(normal))
    throw refused(`it has more than ${MAX_PASSWORD} characters when it is composed (NFKC)`);
  if (Math.min([...password].length, [...normal].length) < MIN_PASSWORD)
    throw refused(
      `it has fewer than ${MIN_PASSWORD} characters`,
      'Take a sentence, or let a password manager make one',
    );
  const plain = fold(normal);
  const [local = '', domain = ''] = person.email?.split('@') ?? [];
  const own = [person.email, local, person.name].map((part) => fold(part ?? ''));
  if (
    own.some((part) => part.length >= 3 && [...plain.replaceAll(part, '')].length < 6 && plain.includes(part))
  )
    throw refused('it is the e-mail address or the name with little else');
  const repeated = repeatedPiece(plain);
  if (repeated !== null && [...repeated].length < MIN_PASSWORD)
    throw refused(
      `it repeats a piece of fewer than ${MIN_PASSWORD} characters, which counts once`,
      'Take words that do not belong together',
    );
  const words = [local, domain, person.name ?? ''].flatMap((part) => part.split(/[^\p{L}\p{N}]+/u).map(fold));
  if (new Set(plain).size < 5 || guessSteps(plain, [...own, ...words]) < MIN_STEPS)
    throw refused('it is one that guessers try first', 'Take words that do not belong together');
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s/gu, '');
}

function refused(message: string, hint?: string): Error {
  return invalidField('password', message, hint);
}
