import type { TrackingParts } from '../../api/index.ts';
import { isTracker, type ChannelStore } from '../../channels/index.ts';
import type { PoliciesInForce } from '../../inventory/index.ts';
import { declaredWindow } from '../running/critical-window.ts';

/** trackingTerms tells the declared window of critical findings, and whether an enabled channel of a tracker is there. */
export function trackingTerms(
  policies: () => Promise<PoliciesInForce>,
  channels: Pick<ChannelStore, 'list'>,
): TrackingParts['terms'] {
  return async () => ({
    window: await declaredWindow(policies),
    connected: (await channels.list({ limit: null, offset: 0 })).items.some(
      (channel) => isTracker(channel) && channel.enabled,
    ),
  });
}
