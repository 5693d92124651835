import type { AccountNames, AuditLog, Principal } from '../accounts/index.ts';
import { DAY_MS, type Clock } from '../base/index.ts';
import { KEPT, LiveError } from './live.service.ts';
import type { KeptRun, KeptRunSummary, RunFilter, RunPage, RunPrinter, RunStore } from './run-ports.ts';

/** RunsDeps are what the kept runs act through. */
export interface RunsDeps {
  readonly runs: RunStore;
  readonly printer: RunPrinter;
  readonly names: AccountNames;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** RunDownload is a kept run as a file. */
export interface RunDownload {
  readonly name: string;
  readonly type: 'application/pdf' | 'application/json';
  readonly bytes: Uint8Array;
}

/** KeptRuns are the what-if runs that were kept. */
export interface KeptRuns {
  list(
    filter: RunFilter,
    page: RunPage,
  ): Promise<{ readonly items: readonly KeptRunSummary[]; readonly total: number }>;
  /** Throws `not_found`. */
  get(id: string): Promise<KeptRun>;
  /**
   * Gives a run as a file: the answer's own bytes as JSON, or a PDF. Each download has its audit entry before it is answered.
   * Throws `not_found`, and `unavailable` when the PDF cannot be made now.
   */
  download(
    id: string,
    format: 'pdf' | 'json',
    call: { readonly principal: Principal; readonly path: string; readonly signal: AbortSignal },
  ): Promise<RunDownload>;
}

/** openKeptRuns joins the kept runs to where they are kept. */
export function openKeptRuns({ runs, printer, names, audit, clock }: RunsDeps): KeptRuns {
  const oldest = (): number => clock.now() - KEPT.days * DAY_MS;
  const get = async (id: string): Promise<KeptRun> => {
    const run = await runs.get(id);
    if (run !== null && run.at >= oldest()) return run;
    throw new LiveError('not_found', `no stored run has the ID ${id}`, {
      hint: `Runs are kept for ${KEPT.days} days, the newest ${KEPT.most}; GET /api/v1/policies/whatif/runs lists them`,
    });
  };
  const print = async (run: KeptRun, signal: AbortSignal): Promise<Uint8Array> => {
    const { accountId } = run;
    const askedBy = (await names([accountId])).get(accountId) ?? `user:${accountId}`;
    return printer.print({ ...run, askedBy }, signal);
  };
  return {
    // What is past its time may not have been dropped yet.
    list: (filter, page) =>
      runs.list({ ...filter, from: Math.max(filter.from ?? -Infinity, oldest()) }, page),
    get,
    async download(id, format, { principal, path, signal }) {
      const run = await get(id);
      const bytes = format === 'pdf' ? await print(run, signal) : Buffer.from(run.result, 'utf8');
      await audit.record({
        actor: { accountId: principal.accountId, name: principal.name },
        action: 'policy_whatif_download',
        target: run.policy,
        path,
        detail: { run_id: id, format },
      });
      return { name: `whatif-${run.policy}-${id}.${format}`, type: `application/${format}`, bytes };
    },
  };
}

/** pruneRuns drops the runs that are older than they are kept for, and gives their number. A job calls it with the present. */
export function pruneRuns(runs: RunStore, at: number): Promise<number> {
  return runs.prune(at - KEPT.days * DAY_MS);
}
