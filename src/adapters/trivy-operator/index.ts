/**
 * Reports that trivy-operator leaves in the cluster, as they come and change.
 * It uses `kubernetes`.
 */
export { openOperatorReports, VULNERABILITY_REPORTS, type OperatorReports } from './operator-reports.ts';
export { runningDigests } from './running-digests.ts';
