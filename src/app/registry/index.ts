/**
 * What `ipo check` asks of registries by itself.
 * It uses `running` and `service`.
 */
export type { RegistryFacts } from './ports.ts';
export { openRegistryFacts, readFileProofs } from './registry-door.ts';
