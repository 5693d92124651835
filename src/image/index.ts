/**
 * Image references as the OCI and Docker rules say, and what of them the gates compare.
 * It uses no other folder.
 */
export { isUnder, normaliseRegistry, parseReference, type ImageReference } from './reference.ts';
export { formatPlatform, normalisePlatform, parsePlatform, selectPlatform } from './platform.ts';
export {
  entryFor,
  isUnnamed,
  neededEntries,
  platformEntries,
  toPlatformName,
  type PlatformEntry,
} from './platform-entries.ts';
export type { Artifact, Artifacts, PulledArtifact } from './artifact-ports.ts';
export { accountsToTry } from './accounts-to-try.ts';
export { isAbsent, RegistryError, type RegistryFault, type RegistryRemedy } from './registry-error.ts';
export type {
  Attachment,
  Credential,
  CredentialHelpers,
  Descriptor,
  HelperAsk,
  ImageConfig,
  ImageIndex,
  ImageManifest,
  KeptCredential,
  Keychain,
  Manifest,
  Platform,
  PlatformImage,
  PullPlace,
  PullPlaces,
  Referrers,
  Registry,
  RegistryAsk,
  Repository,
} from './registry-ports.ts';
export type { PodPullSecrets, PullingPod, PullSecret, PullSecrets } from './pull-secrets-ports.ts';
export { parseMirror, parseRegistryHost } from './registry-host.ts';
