import type { ChannelEvent } from './events.ts';
import { kindOf, type ChannelKind } from './kinds.ts';

/** "A new channel has `nodes_over` and `nodes_enforced` ticked"; a ledger that is broken is told too. All others are opt-in. */
const TICKED: readonly ChannelEvent[] = [
  'critical_finding',
  'runtime_alert',
  'nodes_over',
  'nodes_enforced',
  'ledger_broken',
];

/**
 * hasEffect tells whether a subscription does anything. "Subscribing a tracker channel to any event other than
 * `critical_finding` is accepted and has no effect", but for `runtime_alert`, which may open an issue in a tracker too.
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
