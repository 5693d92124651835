/**
 * What every statement is written with: the executor, what differs between the engines (`dialect.ts`), the store as its users see it,
 * and its faults.
 * It uses `tables`.
 */
export { StoreError } from './store-error.ts';
export type { Store } from './store.ts';
