import type { Channels } from '../../channels/index.ts';
import {
  channelKind,
  declarationKind,
  openConfiguration,
  policyKind,
  runtimeRuleKind,
  type Configuration,
} from '../../configuration/index.ts';
import type { Declarations } from '../../evidence/index.ts';
import { IMAGE_POLICIES } from '../../policy/index.ts';
import { RUNTIME_POLICIES } from '../../runtime/index.ts';
import type { ServiceParts } from './parts.ts';

/** ConfigurationParts are what the configuration of a service is read from and written to. */
export interface ConfigurationParts extends Pick<
  ServiceParts,
  'policies' | 'runtimePolicies' | 'runtimeRules' | 'inCluster' | 'audit' | 'together' | 'clock'
> {
  readonly channels: Channels;
  readonly declarations: Declarations;
}

/** serviceConfiguration lists the kinds that a configuration holds, in the order in which they are exported and applied. */
export function serviceConfiguration({
  policies,
  runtimePolicies,
  runtimeRules,
  channels,
  declarations,
  inCluster,
  clock,
  ...deps
}: ConfigurationParts): Configuration {
  const image = {
    kind: 'ImagePolicy',
    reader: IMAGE_POLICIES,
    audit: 'policy' as const,
    policies,
    inCluster,
  };
  const runtime = {
    ...({ kind: 'RuntimePolicy', reader: RUNTIME_POLICIES, audit: 'runtime_policy' } as const),
    policies: runtimePolicies,
    inCluster,
  };
  return openConfiguration({
    ...deps,
    kinds: [
      policyKind(image),
      runtimeRuleKind(runtimeRules),
      policyKind(runtime),
      channelKind(channels),
      declarationKind(declarations, clock),
    ],
  });
}
