/**
 * inEffectNote says behind a line about a write where it decides the next admission, from the header `Ipo-In-Effect` of the answer;
 * nothing where the service does not say it.
 */
export function inEffectNote(headers: Readonly<Record<string, string>>): string {
  const header = headers['ipo-in-effect'];
  if (header === undefined) return '';
  if (!/\bhere=\?1/.test(header))
    return '; stored, but not yet in effect on the replica that answered; see its log';
  const [, others] = /\bothers=(\d{1,4}|watch)\b/.exec(header) ?? [];
  if (others === undefined) return '; in effect';
  return others === 'watch'
    ? '; in effect on this replica, and on others once the API server notifies them'
    : `; in effect on this replica, and on others within ${others} s`;
}
