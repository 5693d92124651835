/**
 * The configuration of a service as one stream of documents: exported, compared with what a service has, and imported. One object for each
 * kind (`kinds/`), which `app` lists.
 * It uses `accounts`, `channels`, `evidence`, `policy` and `runtime`.
 */
export { ConfigurationError } from './configuration-error.ts';
export {
  openConfiguration,
  type Configuration,
  type ConfigurationDeps,
  type Exported,
  type Imported,
  type ImportedItem,
  type ImportRequest,
} from './configuration.service.ts';
export { API_VERSION, checkForm, CONFIGURATION, MAX_BUNDLE_BYTES, MAX_DOCUMENTS } from './bundle.ts';
export { channelKind } from './kinds/channels.ts';
export { declarationKind } from './kinds/declarations.ts';
export { policyKind } from './kinds/policies.ts';
export { runtimeRuleKind } from './kinds/runtime-rules.ts';
export type { Actor, Change, Json, Kind, Planned } from './kind.ts';
