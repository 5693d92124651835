import type { StoredChannel } from './channel.ts';
import { readSettings } from './document.ts';
import type { ChannelKind } from './kinds.ts';

/**
 * toStoredChannel gives a channel as it is kept from what a store has of it: `settings` is the JSON value of its document. Settings
 * that cannot be used make it a faulty one.
 */
export function toStoredChannel(
  head: Omit<StoredChannel, 'kind' | 'settings' | 'fault' | 'stored'>,
  kind: ChannelKind,
  settings: unknown,
): StoredChannel {
  const stored =
    settings !== null && typeof settings === 'object' && !Array.isArray(settings)
      ? (settings as Readonly<Record<string, unknown>>)
      : {};
  const read = readSettings(kind, stored);
  if ('fault' in read) return { ...head, kind, settings: null, fault: read.fault, stored };
  // One kind's settings with that kind; the union cannot say so over a variable.
  return { ...head, kind, settings: read.settings, fault: null } as StoredChannel;
}
