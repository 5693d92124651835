import type { RouteKey } from '../accounts/index.ts';

/** WrittenPolicy is a policy that a call has written; `version` is what its ETag names, `gone` that of one that was deleted. */
export type WrittenPolicy =
  | { readonly name: string; readonly version: string }
  | { readonly name: string; readonly gone: string };

/** InEffect is where what a call wrote decides the next review. */
export interface InEffect {
  /** On the replica that answers: false where it could not be brought up to date in time. */
  readonly here: boolean;
  /** On every other replica: within this many seconds, or as soon as the API server's watch tells it; null where there is no other. */
  readonly others: number | 'watch' | null;
}

type Writing = Exclude<RouteKey, `GET ${string}`>;

/**
 * DECIDES tells for every call that writes whether admissions are decided by what it writes. Nothing else is kept in memory: who may
 * do what, and channels, are read from the database each time.
 */
const DECIDES: Readonly<Record<Writing, boolean>> = {
  'POST /setup': false,
  'POST /setup/check': false,
  'POST /session': false,
  'POST /session/password': false,
  'DELETE /session': false,
  'PUT /session/password': false,
  'POST /tokens': false,
  'DELETE /tokens/{id}': false,
  'POST /accounts': false,
  'PATCH /accounts/{id}': false,
  'DELETE /accounts/{id}': false,
  'POST /accounts/{id}/password-code': false,
  'POST /accounts/{id}/anonymise': false,
  'POST /policies': true,
  'PUT /policies': true,
  'PUT /policies/{name}': true,
  'DELETE /policies/{name}': true,
  'POST /runtime/policies': false,
  'PUT /runtime/policies/{name}': false,
  'DELETE /runtime/policies/{name}': false,
  'POST /policies/whatif': false,
  'POST /runtime/whatif': false,
  'POST /images/scan': false,
  'POST /scans': true,
  'POST /triage': true,
  'DELETE /triage/{id}': true,
  'POST /channels': false,
  'PUT /channels/{id}': false,
  'DELETE /channels/{id}': false,
  'POST /channels/{id}/adopt': false,
  'POST /channels/{id}/resume': false,
  'POST /channels/{id}/test': false,
  'POST /channels/{id}/resend': false,
  'PUT /channels/{id}/mute': false,
  'DELETE /channels/{id}/mute': false,
  'POST /tracking/{id}/reopen': false,
  'POST /tracking/{id}/confirm': false,
  'POST /runtime/rules': false,
  'PUT /runtime/rules': false,
  'PUT /runtime/rules/{name}': false,
  'DELETE /runtime/rules/{name}': false,
  'POST /runtime/rules/{name}/move': false,
  'POST /catalogues/refresh': true,
  'PUT /system/licence': false,
  'DELETE /system/licence': false,
  'POST /system/licence/request': false,
  'POST /system/licence/check': false,
  'POST /evidence': false,
  'POST /evidence/{id}/cancel': false,
  'DELETE /evidence/{id}': false,
  'POST /declarations': false,
  'DELETE /declarations/{id}': false,
  'DELETE /system/replicas/{name}': false,
  'POST /config/import': true,
};

/** decides tells whether admissions are decided by what a call writes. */
export function decides(key: RouteKey): boolean {
  return (DECIDES as Partial<Readonly<Record<RouteKey, boolean>>>)[key] ?? false;
}

/** IN_EFFECT_HEADER says with an answer where what it acknowledges is in effect, as a dictionary of RFC 9651. */
export const IN_EFFECT_HEADER = 'Ipo-In-Effect';

/** IN_EFFECT_ABOUT describes it. */
export const IN_EFFECT_ABOUT =
  'Where the next review is decided by it: `here=?1` on the replica that answers (`?0`: not brought up to date in time), `others=1` on ' +
  'every other within this many seconds, `others=watch` as soon as the API server tells them';

/** toInEffect writes the header. */
export function toInEffect({ here, others }: InEffect): string {
  return `here=?${here ? 1 : 0}${others === null ? '' : `, others=${others}`}`;
}
