import { IpoError } from '../base/index.ts';
import type { RouteInput } from './route.ts';

/** toETag writes an opaque version as the header `ETag`. */
export function toETag(version: string): string {
  return `"${version}"`;
}

const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e]{0,200})"$/;

/**
 * expectedOf reads `If-Match`: the versions of which one must stand, or `any` for `*`. Weak tags never match, so they name no
 * version. Throws `precondition_required` without the header, `invalid_request` for one that is none.
 */
export function expectedOf({
  'if-match': header,
}: RouteInput<unknown, unknown, unknown>['headers']): 'any' | readonly string[] {
  const text = Array.isArray(header) ? header.join(',') : String(header ?? '');
  if (text.trim() === '') {
    throw new IpoError(
      'precondition_required',
      'this call needs If-Match, so that nobody overwrites what another wrote',
      {
        hint: 'Send the ETag that GET gave, or * to overwrite any version',
      },
    );
  }
  if (text.trim() === '*') return 'any';
  return text
    .slice(0, 4000)
    .split(',')
    .flatMap((part) => {
      const [whole, weak, version] = ENTITY_TAG.exec(part.trim()) ?? [];
      if (whole === undefined || version === undefined) {
        throw new IpoError('invalid_request', 'If-Match is not a list of entity tags', {
          hint: 'Send the ETag as GET gave it, in its quotes',
        });
      }
      return weak === undefined ? [version] : [];
    });
}
