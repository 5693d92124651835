/**
 * The configuration of a service as one stream of documents: exported, compared with what a service has, and imported. One object for each
 * kind (`kinds/`), which `app` lists.
 * It uses `accounts`, `channels`, `evidence`, `policy` and `runtime`.
 */
export { openConfiguration, type Configuration, type Imported } from './configuration.service.ts';
export { checkForm, MAX_BUNDLE_BYTES, MAX_DOCUMENTS } from './bundle.ts';
export { channelKind } from './kinds/channels.ts';
export { declarationKind } from './kinds/declarations.ts';
export { policyKind } from './kinds/policies.ts';
export { runtimeRuleKind } from './kinds/runtime-rules.ts';
export type { Json, Kind } from './kind.ts';
