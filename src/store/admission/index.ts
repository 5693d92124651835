/**
 * What the webhook reads of images and policies, by version.
 * It uses `scans` and `sql`.
 */
export { AdmissionFacts } from './facts.ts';
export { AdmissionPolicies } from './policies.ts';
export { AdmissionScanFailures } from './scan-failures.ts';
