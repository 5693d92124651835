/**
 * The replay in threads and processes of its own.
 * It uses `processes` and `programs`.
 */
export { openReplayDatabase, type ReplayDatabase } from './database.ts';
export { withMemoryDirectory } from './memory-directory.ts';
