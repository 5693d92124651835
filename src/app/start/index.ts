/**
 * Starting and ending a service: as one process, as the parts of `ipod`, and from the command line.
 * It uses `backup`, `cluster`, `config`, `doctor`, `evidence`, `ledger`, `notify`, `processes`, `replay`, `running`, `service`, `trackers` and `webhook`.
 */
export type { RunningService } from './running-service.ts';
export { serve, type ServeOptions } from './serve.ts';
export { runServicePart } from './service-entry.ts';
export { supervise, type SuperviseOptions } from './supervise.ts';
export { runWebhookPart } from './webhook-entry.ts';
