import type { Clock } from '../../base/index.ts';
import {
  parseRuntimePolicyValue,
  replayStored,
  type ReplayLimits,
  type RuntimeHistory,
  type RuntimePolicySource,
  type RuntimeRuleStore,
} from '../../runtime/index.ts';
import { runtimeWhatIfBody, runtimeWhatIfSchema } from '../contract/runtime-whatif.ts';
import { route, type Route } from '../route.ts';

/** RuntimeWhatIfParts are what the replay of stored events acts through. */
export interface RuntimeWhatIfParts {
  readonly history: RuntimeHistory;
  readonly runtimeRules: Pick<RuntimeRuleStore, 'list'>;
  readonly policySource: RuntimePolicySource;
  readonly limits: ReplayLimits;
  /** Name of the cluster whose events are replayed; null for none. */
  readonly cluster: string | null;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
/** Rules and runtime policies of one draft. */
const MAX_BODY = 4 * 1_048_576;

/** runtimeWhatIfRoutes replay stored events under a draft. */
export function runtimeWhatIfRoutes(parts: RuntimeWhatIfParts): Route[] {
  const { history, runtimeRules, policySource, limits, cluster, clock } = parts;
  return [
    route({
      key: 'POST /runtime/whatif',
      id: 'runRuntimeWhatIf',
      tag: 'runtime',
      summary: 'Replay stored events under draft rules or draft runtime policies',
      description:
        'Decides the events of the last days again under a draft. What the draft leaves out, rules or runtime policies, is as it stands. ' +
        'Writes nothing and stops nothing.',
      body: runtimeWhatIfBody,
      maxBody: MAX_BODY,
      work: 'read',
      answers: {
        200: { description: 'What the draft would have done', schema: runtimeWhatIfSchema },
      },
      handle: async ({ body: { rules, policies, days } }) => {
        const standing = rules ?? (await runtimeRules.list()).filter(({ fault }) => fault === null);
        const draft = {
          rules: standing.map((one) => ('rule' in one ? one.rule : one)),
          policies:
            policies?.map((value) => parseRuntimePolicyValue(value).policy) ??
            (await policySource.inEffect()),
        };
        const since = clock.now() - days * DAY_MS;
        return { body: await replayStored(history, { draft, limits, cluster, since }) };
      },
    }),
  ];
}
