import { DAY_MS, formatTime } from '../base/index.ts';

/** NODE_STATES are how a cluster stands to its ceiling. */
export const NODE_STATES = ['within', 'over', 'enforced'] as const;

/** NodeState is one of them. */
export type NodeState = (typeof NODE_STATES)[number];

/** NODE_EVENTS are the transitions that are notified. */
export const NODE_EVENTS = ['nodes_80', 'nodes_over', 'nodes_enforced', 'nodes_cleared'] as const;

/** NodeEvent is one of them. */
export type NodeEvent = (typeof NODE_EVENTS)[number];

/** NodeStanding is how a cluster stood when its nodes were counted last. Times are UTC milliseconds. */
export interface NodeStanding {
  readonly count: number;
  /** Null for none. */
  readonly ceiling: number | null;
  readonly countedAt: number;
  readonly state: NodeState;
  /** When the grace clock started; null while within. */
  readonly overSince: number | null;
  /** The event that was notified last; null while the count is below 80 percent of the ceiling. */
  readonly notified: NodeEvent | null;
}

/** NodeNotice is one transition as the channels are told of it. */
export interface NodeNotice {
  readonly event: NodeEvent;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** NodePlan is what a count comes to. */
export interface NodePlan {
  readonly standing: NodeStanding;
  /** Each transition once, in their order. */
  readonly notices: readonly NodeNotice[];
}

/** Count is one count of the ready nodes of a cluster. */
export interface Count {
  readonly cluster: string;
  readonly count: number;
  readonly ceiling: number | null;
  readonly at: number;
  /** Milliseconds from the first count above the ceiling until it is enforced. */
  readonly grace: number;
}

/** MAX_GRACE_DAYS: a longer grace "does not loosen the ceiling", so there is none. */
const MAX_GRACE_DAYS = 14;

/** graceOf gives the grace of `nodes.graceDays` in milliseconds. */
export function graceOf(days: number): number {
  return Math.min(Math.max(days, 0), MAX_GRACE_DAYS) * DAY_MS;
}

/**
 * planNodes says how a cluster stands after a count, and which transitions are notified. "Ready-node count exceeds the ceiling: a
 * grace clock starts; still over after `nodes.graceDays`: enforced; count back within the ceiling: clock cleared at once." The event
 * `nodes_80` comes when the count rises to 80 percent, not when it falls to it. `before` is null for a cluster that was never
 * counted. Pure.
 */
export function planNodes(before: NodeStanding | null, now: Count): NodePlan {
  const { count, ceiling } = now;
  return ceiling === null || count <= ceiling ? planWithin(before, now) : planOver(before, now);
}

function planWithin(before: NodeStanding | null, now: Count): NodePlan {
  const { count, ceiling, at } = now;
  const notified = before?.notified ?? null;
  const near = ceiling !== null && count * 100 >= ceiling * 80;
  const cleared = before !== null && before.state !== 'within';
  const risen = near && notified === null ? 'nodes_80' : null;
  const event = cleared ? 'nodes_cleared' : risen;
  const standing: NodeStanding = {
    count,
    ceiling,
    countedAt: at,
    state: 'within',
    overSince: null,
    notified: near ? (event ?? notified) : null,
  };
  return { standing, notices: event === null ? [] : [noticeOf(event, now, null)] };
}

function planOver(before: NodeStanding | null, now: Count): NodePlan {
  const { count, ceiling, at } = now;
  const was = before?.state ?? 'within';
  const overSince = before?.overSince ?? at;
  const events: NodeEvent[] = [];
  if (was === 'within') events.push('nodes_over');
  const enforced = was === 'enforced' || at >= overSince + now.grace;
  if (enforced && was !== 'enforced') events.push('nodes_enforced');
  return {
    standing: {
      count,
      ceiling,
      countedAt: at,
      state: enforced ? 'enforced' : 'over',
      overSince,
      notified: events.at(-1) ?? before?.notified ?? null,
    },
    notices: events.map((event) => noticeOf(event, now, overSince)),
  };
}

function noticeOf(
  event: NodeEvent,
  { cluster, count, ceiling, at, grace }: Count,
  overSince: number | null,
): NodeNotice {
  return {
    event,
    payload: {
      cluster,
      count,
      ceiling,
      at: formatTime(at),
      ...(overSince === null
        ? {}
        : { over_since: formatTime(overSince), enforced_from: formatTime(overSince + grace) }),
    },
  };
}

/** NodeGauges are the figures of `svc_nodes` and `svc_node_overage_seconds`. */
export interface NodeGauges {
  /** Null when they were never counted. */
  readonly count: number | null;
  /** -1 for none. */
  readonly ceiling: number;
  /** "0 while within the ceiling". */
  readonly overageSeconds: number;
}

/** nodeGauges gives them at a time; `ceiling` is that of the active certificate. */
export function nodeGauges(standing: NodeStanding | null, ceiling: number | null, at: number): NodeGauges {
  const since = standing?.overSince ?? null;
  return {
    count: standing?.count ?? null,
    ceiling: ceiling ?? -1,
    overageSeconds: since === null ? 0 : Math.max(0, (at - since) / 1000),
  };
}
