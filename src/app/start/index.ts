/**
 * Starting and ending a service: as one process, as the parts of `ipod`, and from the command line.
 * It uses `backup`, `cluster`, `config`, `doctor`, `evidence`, `ledger`, `notify`, `processes`, `replay`, `running`, `service`, `trackers` and `webhook`.
 */
export type { RunningService } from './running-service.ts';
export { serve } from './serve.ts';
export { supervise } from './supervise.ts';
