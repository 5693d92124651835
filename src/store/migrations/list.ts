import { accounts } from './0001-accounts.ts';
import { policies } from './0002-policies.ts';
import { images } from './0003-images.ts';
import { scans } from './0004-scans.ts';
import { ledger } from './0005-ledger.ts';
import { channels } from './0006-channels.ts';
import { policyRevisions } from './0007-policy-revisions.ts';
import { reconciliation } from './0008-reconciliation.ts';
import { tamperEvidentLedger } from './0009-tamper-evident-ledger.ts';
import { podLevelRefusals } from './0010-pod-level-refusals.ts';
import { licence } from './0011-licence.ts';
import { scannerVersions } from './0012-scanner-versions.ts';
import { trackerChannels } from './0013-tracker-channels.ts';
import { tracking } from './0014-tracking.ts';
import { channelCredentials } from './0015-channel-credentials.ts';
import { runtimeAlerts } from './0016-runtime-alerts.ts';
import { endOfLife } from './0017-end-of-life.ts';
import { knownExploited } from './0018-known-exploited.ts';
import { imageProofs } from './0019-image-proofs.ts';
import { deploymentContext } from './0020-deployment-context.ts';
import { runtimeRules } from './0021-runtime-rules.ts';
import { runtimeEvents } from './0022-runtime-events.ts';
import { persons } from './0023-persons.ts';
import { tokensAndEvidence } from './0024-tokens-and-evidence.ts';
import { nodes } from './0025-nodes.ts';
import { auditPaging } from './0026-audit-paging.ts';
import { imagePaging } from './0027-image-paging.ts';
import { vulnerabilityPaging } from './0028-vulnerability-paging.ts';
import { backups } from './0029-backups.ts';
import { runtimePolicies } from './0030-runtime-policies.ts';
import { runtimeBlocksRemoved } from './0031-runtime-blocks-removed.ts';
import { imageFacts } from './0032-image-facts.ts';
import { whatifRuns } from './0033-whatif-runs.ts';
import { imageVerdicts } from './0034-image-verdicts.ts';
import { imageVerdictsFilled } from './0035-image-verdicts-filled.ts';
import { notifications } from './0036-notifications.ts';
import { runtime } from './0037-runtime.ts';
import { deliveryEnds } from './0038-delivery-ends.ts';
import { restores } from './0039-restores.ts';
import { licences } from './0040-licences.ts';
import { runtimeIssues } from './0041-runtime-issues.ts';
import { evidence } from './0042-evidence.ts';
import { pendingStops } from './0043-pending-stops.ts';
import { eventKeys } from './0044-event-keys.ts';
import { joinedEvents } from './0045-joined-events.ts';
import type { Migration } from './migration.ts';

/** MIGRATIONS is the history in order, forward only. Written by `npm run migrations` from the folder; once published, none is edited. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  policies,
  images,
  scans,
  ledger,
  channels,
  policyRevisions,
  reconciliation,
  tamperEvidentLedger,
  podLevelRefusals,
  licence,
  scannerVersions,
  trackerChannels,
  tracking,
  channelCredentials,
  runtimeAlerts,
  endOfLife,
  knownExploited,
  imageProofs,
  deploymentContext,
  runtimeRules,
  runtimeEvents,
  persons,
  tokensAndEvidence,
  nodes,
  auditPaging,
  imagePaging,
  vulnerabilityPaging,
  backups,
  runtimePolicies,
  runtimeBlocksRemoved,
  imageFacts,
  whatifRuns,
  imageVerdicts,
  imageVerdictsFilled,
  notifications,
  runtime,
  deliveryEnds,
  restores,
  licences,
  runtimeIssues,
  evidence,
  pendingStops,
  eventKeys,
  joinedEvents,
];
