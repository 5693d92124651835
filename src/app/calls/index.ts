/**
 * Costly calls of the API, made in threads.
 * It uses `replay`, `running`, `scanning` and `trackers`.
 */
export { runCallWorker } from './door.ts';
