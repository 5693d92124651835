import { mayAct, type AuditLog, type Principal } from '../accounts/index.ts';
import { IpoError, type Clock, type Count, type IpoErrorOptions } from '../base/index.ts';
import { parsePolicyValue } from '../policy/index.ts';
import { AtOnce } from './at-once.ts';
import type { Replayed, Replayer, ReplayJob, RunStore } from './run-ports.ts';
import { newRunId } from './run-id.ts';
import { periodOf } from './replay.ts';
import { StartLimit } from './start-limit.ts';
import { checkOptions } from './whatif.service.ts';

/** A run covers the newest 5000 rows, and 1 to 90 days (default 30). */
export const STANDARD = { days: 30, limit: 5000 } as const;
/**
 * Runs are kept for 90 days, at most 500. An answer has some hundred KiB; one of many MiB comes from a ledger that somebody has
 * filled with long names, and five hundred of them must not fill the disk: it is answered and not kept.
 */
export const KEPT = { days: 90, most: 500, bytes: 8_388_608 } as const;
/** An account may start 10 runs per minute at each replica. */
const STARTS = { most: 10, window: 60_000 } as const;
/** Replays of one account that may wait or run, so that nobody takes every place of the queue. */
const MOST_AT_ONCE = 2;

/** LiveRequest asks what a draft would have changed on the service's own ledger. */
export interface LiveRequest {
  /** The draft, as a save would send it. */
  readonly policy: unknown;
  readonly days?: number | undefined;
  readonly source?: string | undefined;
  readonly limit?: number | undefined;
  /** Milliseconds; now where it is left out. */
  readonly asOf?: number | undefined;
  /** Whether the run is kept; left out, a deployer's and an administrator's is and a viewer's is not. */
  readonly keep?: boolean | undefined;
}

/** LiveCall is who asks, and how. */
export interface LiveCall {
  readonly principal: Principal;
  /** Method and path of the request, for the audit log. */
  readonly path: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** LiveDeps are what a live what-if acts through. */
export interface LiveDeps {
  readonly replayer: Replayer;
  readonly runs: RunStore;
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
  readonly count: Count;
  readonly clock: Clock;
}

/** LiveError says why a live what-if is refused. */
export class LiveError extends IpoError {
  override readonly name = 'LiveError';
  /** Whether the queue was full, so that nothing was begun. */
  readonly queueFull: boolean;
  constructor(
    code: 'rate_limited' | 'forbidden' | 'not_found' | 'unavailable',
    message: string,
    { queueFull = false, ...options }: IpoErrorOptions & { readonly queueFull?: boolean } = {},
  ) {
    super(code, message, options);
    this.queueFull = queueFull;
  }
}

/** LiveWhatIf runs what-ifs on the service's own ledger. */
export interface LiveWhatIf {
  /**
   * Gives the answer as JSON: the bytes of the offline one but for `kept` and `run_id`. Kept run and audit entry are durable
   * before it is given. Throws PolicyError for an invalid draft, WhatIfError, LiveError, and what the replayer throws.
   */
  run(request: LiveRequest, call: LiveCall): Promise<string>;
}

/** openLiveWhatIf joins a live what-if to what it acts through. The limits on starts and on places are this object's own. */
export function openLiveWhatIf(deps: LiveDeps): LiveWhatIf {
  const { replayer, runs, audit, count, clock } = deps;
  const limit = new StartLimit(STARTS.most, STARTS.window);
  const places = new AtOnce(MOST_AT_ONCE);
  const replay = async (
    job: ReplayJob,
    account: string,
    at: number,
    signal: AbortSignal,
  ): Promise<Replayed> => {
    if (!places.enter(account)) throw tooManyAtOnce();
    try {
      const wait = limit.take(account, at);
      if (wait !== null) throw tooMany(wait);
      return await replayer.replay(job, signal);
    } catch (error) {
      // What began counts, however it ended: else one could begin replays without end.
      if (error instanceof LiveError && error.queueFull) limit.giveBack(account, at);
      throw error;
    } finally {
      places.leave(account);
    }
  };
  return {
    async run(request, { principal, path, signal }) {
      const keep = mayKeep(request.keep, principal);
      const { policy: draft, document } = parsePolicyValue(request.policy, 'policy');
      const at = clock.now();
      const options = {
        asOf: request.asOf ?? at,
        days: request.days ?? STANDARD.days,
        limit: request.limit ?? STANDARD.limit,
        source: request.source ?? null,
      };
      checkOptions(options);
      const replayed = await replay({ draft, ...options }, principal.accountId, at, signal);
      const { json, inputsDigest, ...figures } = replayed;
      const id = keep && Buffer.byteLength(json) <= KEPT.bytes ? newRunId() : null;
      const answer = id === null ? json : withRun(json, id);
      await deps.together(async () => {
        if (id !== null) {
          const { accountId } = principal;
          const asked = {
            policy: draft.name,
            revision: draft.revision,
            source: options.source,
            days: options.days,
          };
          const period = periodOf(options);
          const run = { id, at, accountId, ...asked, period, ...figures, draft: document, result: answer };
          await runs.keep(run, KEPT.most);
        }
        await audit.record({
          actor: { accountId: principal.accountId, name: principal.name },
          action: 'policy_whatif',
          target: draft.name,
          path,
          detail: {
            revision: draft.revision,
            source: options.source,
            days: options.days,
            limit: options.limit,
            evaluated: figures.evaluated,
            would_deny: figures.wouldDeny,
            would_allow: figures.wouldAllow,
            inputs_digest: inputsDigest,
            run_id: id,
          },
        });
      });
      count.add('svc_policy_whatif_runs_total');
      return answer;
    },
  };
}

function mayKeep(asked: boolean | undefined, { role }: Principal): boolean {
  const may = mayAct(role, 'deployer');
  if (asked === true && !may) {
    throw new LiveError('forbidden', 'a viewer can run a what-if, but not keep it in the service', {
      hint: 'Leave keep out, or sign in as a deployer',
    });
  }
  return asked ?? may;
}

function tooMany(wait: number): LiveError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new LiveError(
    'rate_limited',
    `more than ${STARTS.most} what-ifs were started by this account within a minute`,
    { retryAfter, hint: `Wait ${retryAfter} seconds` },
  );
}

/** Replays take seconds at most times, so the next place is soon free. */
function tooManyAtOnce(): LiveError {
  return new LiveError(
    'rate_limited',
    `${MOST_AT_ONCE} what-ifs of this account are waiting or running already`,
    { retryAfter: 10, hint: 'Wait until one of them has its answer, then ask again' },
  );
}

const NOT_KEPT = '"kept":false,"run_id":null}';

/** The last two fields of an answer are written again, so that the rest stays byte for byte. */
function withRun(json: string, id: string): string {
  if (!json.endsWith(NOT_KEPT)) throw new TypeError('an answer ends with kept and run_id');
  return `${json.slice(0, -NOT_KEPT.length)}"kept":true,"run_id":${JSON.stringify(id)}}`;
}
