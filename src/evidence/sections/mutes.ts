import { formatTime } from '../../base/index.ts';
import type { MuteFacts } from '../ports.ts';

/** mutesSection lists the times during which a channel was not told what happened. */
export function mutesSection({ total, items }: MuteFacts) {
  return {
    total,
    items: items.map(({ id, channel, name, kind, mutedAt, until, endedAt, reason, mutedBy, unmutedBy }) => ({
      id,
      channel,
      name,
      kind,
      reason,
      muted_at: formatTime(mutedAt),
      until: formatTime(until),
      ended_at: endedAt === null ? null : formatTime(endedAt),
      muted_by: mutedBy,
      unmuted_by: unmutedBy,
    })),
  };
}
