/**
 * What everything that runs stands on: jobs and timers, directories and their locks, TLS files, programs, the end.
 * It uses `config` and `programs`.
 */
export { keepLog } from './keep-log.ts';
export { ASKS_NOBODY } from './offline.ts';
