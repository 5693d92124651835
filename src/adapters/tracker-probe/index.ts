/**
 * What `ipo channel setup` reads from a tracker beside its test: scopes, permissions, fields, transitions.
 * It uses `transport`.
 */
export { openProbe } from './probe.ts';
