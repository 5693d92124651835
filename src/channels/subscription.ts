import type { ChannelEvent } from './events.ts';
import { kindOf, type ChannelKind } from './kinds.ts';

/** What a new channel is subscribed to. All other events are opt-in. */
const TICKED: readonly ChannelEvent[] = [
  'critical_finding',
  'runtime_alert',
  'nodes_over',
  'nodes_enforced',
  'ledger_broken',
];

/**
 * hasEffect tells whether a subscription does anything. A tracker accepts a subscription to any event, and opens issues only for
 * `critical_finding` and `runtime_alert`.
 */
export function hasEffect(kind: ChannelKind, event: ChannelEvent): boolean {
  return kindOf(kind).events.includes(event);
}

/** defaultEvents are the subscriptions of a new channel that names none. */
export function defaultEvents(kind: ChannelKind): readonly ChannelEvent[] {
  return TICKED.filter((event) => hasEffect(kind, event));
}

/** receives tells whether a channel is to be given an event. A disabled channel is given none. */
export function receives(
  channel: {
    readonly kind: ChannelKind;
    readonly enabled: boolean;
    readonly subscriptions: readonly ChannelEvent[];
  },
  event: ChannelEvent,
): boolean {
  return channel.enabled && channel.subscriptions.includes(event) && hasEffect(channel.kind, event);
}
