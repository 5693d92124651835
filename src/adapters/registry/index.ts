/**
 * Registries by the OCI distribution specification: the port `Registry` over HTTP, and the keychains. Every answer is bounded, checked
 * against its digest and, where it is an error, told apart into what is not there and what could not be asked.
 * It uses `transport`.
 */
export { digestLookup } from './digest-lookup.ts';
export type { HostState } from './host-health.ts';
export {
  chainKeychains,
  dockerKeychain,
  fileKeychain,
  NO_KEYS,
  pullSecretKeychain,
  type Ignoring,
} from './keychains.ts';
export { pullPlaces } from './pull-places.ts';
export { openRegistry, type OpenRegistry, type RegistryOptions } from './open.ts';
