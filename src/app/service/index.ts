/**
 * The parts of the service, each joined by itself.
 * It uses `calls`, `cluster`, `config`, `detector`, `ledger`, `processes`, `programs`, `replay`, `running`, `scanning`, `trackers` and `webhook`.
 */
export { openServiceClient, parseServer } from './client.ts';
export { probeHealth } from './probe.ts';
