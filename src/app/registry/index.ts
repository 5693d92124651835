/**
 * What `ipo check` asks of registries by itself.
 * It uses `running` and `service`.
 */
export {
  openRegistryFacts,
  readFileProofs,
  type RegistryFacts,
  type RegistryFactsOptions,
} from './registry-door.ts';
