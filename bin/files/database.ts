import { UsageError } from '../terminal/usage.ts';

/**
 * findDatabase settles which database a command opens: the flag, then `IPO_DATABASE`, then `IPO_DATABASE_URL` as the service reads it.
 * A password must not come as an argument, where every process of the machine can read it. Throws `usage`.
 */
export function findDatabase(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (flag !== undefined) {
    if (holdsPassword(flag)) {
      throw new UsageError(
        '--database must not contain a password: every process on this machine can read arguments',
        'Leave the flag out and set IPO_DATABASE, or leave the password out and set PGPASSWORD',
      );
    }
    return flag;
  }
  const named = [env['IPO_DATABASE'], env['IPO_DATABASE_URL']].find(
    (value) => value !== undefined && value.trim() !== '',
  );
  if (named !== undefined) return named.trim();
  throw new UsageError(
    'no database given',
    'Give --database sqlite:PATH or --database postgres://USER@HOST:5432/NAME, or set IPO_DATABASE',
  );
}

/** By hand: an invalid address must not appear in a message either. */
function holdsPassword(address: string): boolean {
  if (/[?&]password=/i.test(address)) return true;
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(address) ?? [];
  const at = authority.lastIndexOf('@');
  return at !== -1 && authority.slice(0, at).includes(':');
}
