import { Outage, type Clock, type Count, type Log } from '../base/index.ts';
import type { Ceilings } from '../licence/index.ts';
import type { NodeStore, ReadyNodes } from './ports.ts';
import type { Leader } from '../leadership/index.ts';
import { planNodes, type NodeStanding } from './standing.ts';

/** NodePollDeps are the parts of a poll. */
export interface NodePollDeps {
  readonly cluster: string;
  readonly nodes: ReadyNodes;
  readonly ceilings: Ceilings;
  readonly store: NodeStore;
  readonly leader: Leader;
  /** Milliseconds; `graceOf` gives them. */
  readonly grace: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** NodePoll counts the nodes of the cluster against its ceiling. */
export class NodePoll {
  readonly #deps: NodePollDeps;
  readonly #outage = new Outage();

  constructor(deps: NodePollDeps) {
    this.#deps = deps;
  }

  /** One poll; null when another process leads, or the nodes could not be counted: "a poll that cannot count changes nothing". */
  async run(): Promise<NodeStanding | null> {
    const { cluster, store, leader, grace, clock, log, count: metrics } = this.#deps;
    if (!leader.isLeader()) return null;
    const fence = leader.fence();
    const count = await this.#count();
    metrics.add('svc_node_polls_total', { outcome: count === null ? 'not_counted' : 'counted' });
    if (count === null) return null;
    const { nodes: ceiling } = await this.#deps.ceilings.current();
    if (!leader.isLeader()) return null;
    const at = clock.now();
    const { standing, notices } = await store.change(fence, cluster, at, (before) =>
      planNodes(before, { cluster, count, ceiling, at, grace }),
    );
    for (const { event, payload } of notices) {
      if (event === 'nodes_cleared') log.info('the cluster is within its node ceiling again', payload);
      else if (event === 'nodes_80') log.warn('the cluster has 80 percent of its node ceiling', payload);
      else if (event === 'nodes_over') log.warn('the cluster has more nodes than its ceiling', payload);
      else log.warn('the node ceiling is enforced: image names not seen this month are denied', payload);
    }
    return standing;
  }

  async #count(): Promise<number | null> {
    const { nodes, log } = this.#deps;
    try {
      const count = await nodes.count();
      if (this.#outage.ends()) log.info('the nodes are counted again');
      return count;
    } catch (error) {
      const level = this.#outage.isNew(String(error)) ? 'warn' : 'debug';
      log[level]('the nodes could not be counted; nothing changes', { error });
      return null;
    }
  }
}
