import type { AuditEntry, Principal, Role } from '../../src/accounts/index.ts';
import type { KeptRun, LiveDeps, ReplayJob, RunStore } from '../../src/whatif/index.ts';

/** draft is a valid policy as a request sends it. */
export const draft = (name = 'baseline', spec: object = {}): Record<string, unknown> => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name },
  spec,
});

/** caller is somebody of a role. */
export const caller = (role: Role, accountId = 'aaaabbbbccccdddd'): Principal => ({
  accountId,
  name: `a ${role}`,
  role,
  via: 'token',
  tokenId: null,
});

/** memoryRuns keeps runs in memory, the newest last. */
export function memoryRuns(): RunStore & { readonly kept: KeptRun[] } {
  const kept: KeptRun[] = [];
  return {
    kept,
    keep: async (run, most) => {
      kept.push(run);
      kept.splice(0, Math.max(0, kept.length - most));
    },
    list: async () => ({ items: kept.toReversed(), total: kept.length }),
    get: async (id) => kept.find((run) => run.id === id) ?? null,
    prune: async (before) => {
      const old = kept.filter(({ at }) => at < before);
      for (const run of old) kept.splice(kept.indexOf(run), 1);
      return old.length;
    },
  };
}

/** World is what a live what-if acts through, with everything that it did. */
export interface World {
  readonly deps: LiveDeps;
  readonly runs: ReturnType<typeof memoryRuns>;
  readonly audited: AuditEntry[];
  readonly jobs: ReplayJob[];
  counted: number;
  now: number;
  /** What the replayer throws instead of answering. */
  fault: Error | null;
}

/** ANSWER is what the replayer of a World gives. */
export const ANSWER = '{"as_of":"x","evaluated":3,"inputs_digest":"d","kept":false,"run_id":null}';

/** makeWorld makes a World whose clock stands still. */
export function makeWorld(): World {
  const runs = memoryRuns();
  const world: World = {
    runs,
    audited: [],
    jobs: [],
    counted: 0,
    now: 1_800_000_000_000,
    fault: null,
    deps: {
      runs,
      clock: { now: () => world.now },
      audit: { record: async (entry) => void world.audited.push(entry) },
      count: { add: (name) => void (world.counted += name === 'svc_policy_whatif_runs_total' ? 1 : 0) },
      together: (act) => act(),
      replayer: {
        replay: async (job) => {
          world.jobs.push(job);
          if (world.fault !== null) throw world.fault;
          return { json: ANSWER, evaluated: 3, wouldDeny: 2, wouldAllow: 1, inputsDigest: 'd' };
        },
      },
    },
  };
  return world;
}
