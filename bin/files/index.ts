/**
 * Files that commands read: policies, and paths; and which database is meant.
 * It uses `terminal`.
 */
export { findDatabase } from './database.ts';
export { isTestFile, withDirectories } from './directories.ts';
export { isThere } from './is-there.ts';
export { findKubeconfig, kubeconfigNamed } from './kubeconfig.ts';
export { assertNew, writeNew } from './new-file.ts';
export {
  checkStdin,
  readInForce,
  readOnePolicy,
  readPolicies,
  readPolicyText,
  type SourceText,
} from './read-policies.ts';
export { fromWorkspace } from './workspace.ts';
