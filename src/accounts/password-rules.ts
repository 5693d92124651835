import { invalidField } from './account-error.ts';

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

/** Words that guessers try first, in any case and with any digits and signs around them. */
const OBVIOUS = [
  'admin',
  'administrator',
  'changeme',
  'changeit',
  'correcthorsebatterystaple',
  'default',
  'defaultpassword',
  'docker',
  'imagepolicyoperator',
  'iloveyou',
  'ipo',
  'kennwort',
  'kubernetes',
  'letmein',
  'login',
  'monkey',
  'operator',
  'passwd',
  'passwort',
  'password',
  'pleasechangeme',
  'qwerty',
  'qwertyuiop',
  'qwertyuiopasdfghjkl',
  'qwertz',
  'qwertzuiop',
  'root',
  'secret',
  'supersecret',
  'superuser',
  'test',
  'testtest',
  'topsecret',
  'welcome',
] as const;

/** Runs of keys and letters that are no password however long a piece of them is. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
] as const;

/**
 * checkPassword refuses a password that is too short, too long, obvious, or made of the person's own e-mail address or name.
 * Throws `invalid_request` with the path `password`.
 */
export function checkPassword(
  password: string,
  person: { readonly email: string | null; readonly name: string | null },
): void {
  if (isTooLong(password)) throw refused(`it has more than ${MAX_PASSWORD} characters`);
  // A lone surrogate has no UTF-8: two such passwords would be one.
  if (!password.isWellFormed()) throw refused('it holds half a character');
  if (/\p{Cc}/u.test(password))
    throw refused('it holds a control character, such as a tab or the end of a line');
  const normal = normalisePassword(password);
  if (Math.min([...password].length, [...normal].length) < MIN_PASSWORD)
    throw refused(
      `it has fewer than ${MIN_PASSWORD} characters`,
      'Take a sentence, or let a password manager make one',
    );
  const plain = fold(normal);
  const own = [person.email, person.email?.split('@')[0], person.name]
    .map((part) => fold(part ?? ''))
    .filter((part) => part.length >= 3);
  if (own.some((part) => [...plain.replaceAll(part, '')].length < 6 && plain.includes(part)))
    throw refused('it is the e-mail address or the name with little else');
  if (isObvious(plain))
    throw refused('it is one that guessers try first', 'Take words that do not belong together');
}

function isObvious(plain: string): boolean {
  if (new Set(plain).size < 5) return true;
  if (/^(.{1,6})\1+.{0,2}$/su.test(plain)) return true;
  const letters = plain.replaceAll(/[^\p{L}]/gu, '');
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const unleet = core.replaceAll(/[01345$@!]/g, (sign) => LEET[sign] ?? sign).replaceAll(/[^\p{L}]/gu, '');
  if ([letters, unleet].some((word) => (OBVIOUS as readonly string[]).includes(word))) return true;
  return RUNS.some((run) => run.includes(plain) || [...run].toReversed().join('').includes(plain));
}

const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  $: 's',
  '@': 'a',
  '!': 'i',
};

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s/gu, '');
}

function refused(message: string, hint?: string): Error {
  return invalidField('password', message, hint);
}
