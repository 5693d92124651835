import type { Clock, Log } from '../../base/index.ts';
import type { ClockWatch } from '../../ledger/index.ts';
import type { Store, StoreLedgerWriter } from '../../store/index.ts';
import type { Redactor } from '../../telemetry/index.ts';
import type { Settings } from '../config/settings.ts';
import type { Link } from '../processes/link.ts';
import type { Places } from '../running/data-directory.ts';
import type { CountingMetrics, CountRelay } from './count-relay.ts';

/** WebhookPartDeps are what the webhook's part of a service is joined with. */
export interface WebhookPartDeps {
  readonly settings: Settings;
  readonly places: Pick<Places, 'spoolDirectory'>;
  /** The directory of the spool is locked for this process. */
  readonly store: Store;
  readonly writer: StoreLedgerWriter;
  readonly watch: ClockWatch;
  /** To the service's part. */
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: CountingMetrics;
  /** Where another process has the metrics: what was counted for them here. */
  readonly counted: CountRelay | null;
  /** Takes the path by which the API server calls, so that no line of the log holds it. */
  readonly redactor: Pick<Redactor, 'add'>;
  /** Whether reviews go to the spool while another process writes to the database (false). */
  readonly sidesteps?: boolean;
  /** Whether an earlier life answered reviews on this spool, and was killed: its line in the database stands for this one for now. */
  readonly takesOver?: boolean;
}
