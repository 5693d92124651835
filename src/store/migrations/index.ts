/**
 * The history of the schema: each migration once, in its order, never changed after its release.
 * It uses `cells` and `sql`.
 */
export { MIGRATIONS } from './list.ts';
export type { Migration } from './migration.ts';
