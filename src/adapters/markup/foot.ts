import { formatMinute } from '../../base/index.ts';
import type { Message } from '../../notify/index.ts';

/** footOf says on one line how soon a message wants a person, when it happened, and the id that deliveries are listed by. */
export function footOf({ severity, at, id }: Pick<Message, 'severity' | 'at' | 'id'>): string {
  return `${severity} · ${formatMinute(at)} · ${id}`;
}
