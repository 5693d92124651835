/**
 * What each event says: a title, what happened, why it matters, and the command that shows more.
 * It uses no other room.
 */
import type { ChannelEvent } from '../../channels/index.ts';
import {
  nodes80,
  nodesCleared,
  nodesEnforced,
  nodesOver,
  podStopWithheld,
  podsUnreviewed,
} from './cluster.ts';
import { criticalFinding, findingResolved, knownExploitedAdded, runtimeAlert } from './images.ts';
import { backupFailed, catalogueStale, channelFailed, ledgerBroken, licenceExpiring } from './service.ts';
import type { EventText } from './words.ts';

export { plural } from './words.ts';

/** EVENT_TEXTS are the texts of every event. */
export const EVENT_TEXTS: Readonly<Record<ChannelEvent, EventText>> = {
  critical_finding: criticalFinding,
  finding_resolved: findingResolved,
  known_exploited_added: knownExploitedAdded,
  runtime_alert: runtimeAlert,
  nodes_80: nodes80,
  nodes_over: nodesOver,
  nodes_enforced: nodesEnforced,
  nodes_cleared: nodesCleared,
  pods_unreviewed: podsUnreviewed,
  pod_stop_withheld: podStopWithheld,
  ledger_broken: ledgerBroken,
  catalogue_stale: catalogueStale,
  channel_failed: channelFailed,
  licence_expiring: licenceExpiring,
  backup_failed: backupFailed,
};
