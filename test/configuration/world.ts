import type { TestContext } from 'node:test';
import type { AuditEntry } from '../../src/accounts/index.ts';
import {
  channelKind,
  declarationKind,
  openConfiguration,
  policyKind,
  runtimeRuleKind,
  type Configuration,
  type Kind,
} from '../../src/configuration/index.ts';
import {
  IMAGE_POLICIES,
  openKeptPolicies,
  openPolicies,
  type KeptPolicies,
  type Policies,
} from '../../src/policy/index.ts';
import { openDeclarations, type Declarations } from '../../src/evidence/index.ts';
import {
  openRuntimeRules,
  RUNTIME_POLICIES,
  type RevisedRuntimePolicy,
  type RuntimeRules,
} from '../../src/runtime/index.ts';
import {
  declarationStore,
  policyStore,
  runtimePolicyStore,
  runtimeRuleStore,
  type Store,
} from '../../src/store/index.ts';
import { NOW, openWorld, type World } from '../channels/world.ts';

/** IMAGE is the kind of image policies in a database. */
export const IMAGE = {
  ...({ kind: 'ImagePolicy', audit: 'policy', inCluster: false } as const),
  reader: IMAGE_POLICIES,
};

/** ConfigurationWorld is a database with policies and channels, and its configuration. */
export interface ConfigurationWorld {
  readonly configuration: Configuration;
  readonly policies: Policies;
  readonly runtimePolicies: KeptPolicies<RevisedRuntimePolicy>;
  readonly rules: RuntimeRules;
  readonly declarations: Declarations;
  readonly channels: World['channels'];
  readonly audited: World['audited'];
}

/** openConfigurationWorld joins them; `more` are kinds beside policies and channels. */
export async function openConfigurationWorld(
  t: TestContext,
  store: Store,
  more: readonly Kind[] = [],
): Promise<ConfigurationWorld> {
  const { channels, audited } = await openWorld(t, store);
  const audit = { record: async (entry: AuditEntry): Promise<void> => void audited.push(entry) };
  const policies = openPolicies({ store: policyStore(store), clock: { now: () => NOW } });
  const runtimePolicies = openKeptPolicies(RUNTIME_POLICIES, {
    store: runtimePolicyStore(store),
    clock: { now: () => NOW },
  });
  const rules = openRuntimeRules(runtimeRuleStore(store), { now: () => NOW });
  const declarations = openDeclarations(declarationStore(store), { now: () => NOW });
  const kinds = [
    policyKind({ ...IMAGE, policies }),
    policyKind({
      ...{ kind: 'RuntimePolicy', reader: RUNTIME_POLICIES, audit: 'runtime_policy', inCluster: false },
      policies: runtimePolicies,
    }),
    channelKind(channels),
    runtimeRuleKind(rules),
    declarationKind(declarations, { now: () => NOW }),
    ...more,
  ];
  const configuration = openConfiguration({ kinds, audit, together: (act) => store.write(act) });
  return { configuration, policies, runtimePolicies, rules, declarations, channels, audited };
}

/** policyOf is a policy with one field set. */
export const policyOf = (name: string, spec: object = {}) => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name },
  spec: { enforcement: 'Audit', ...spec },
});

/** REQUEST is an import that writes, by somebody. */
export const REQUEST = {
  ...{ prune: false, dryRun: false, difference: null },
  actor: { accountId: 'administratoraaa', name: 'Ada' },
  path: 'POST /api/v1/config/import',
} as const;
