/**
 * What everything that runs stands on: jobs and timers, directories and their locks, TLS files, programs, the end.
 * It uses `config` and `programs`.
 */
export { keepLog, type KeepLogOptions, type KeptLog } from './keep-log.ts';
export { runLogWorker, type LogFile } from './log-worker.ts';
export { ASKS_NOBODY, asksNobody } from './offline.ts';
