import type { Channels } from '../../channels/index.ts';
import { channelKind, openConfiguration, policyKind, type Configuration } from '../../configuration/index.ts';
import { IMAGE_POLICIES } from '../../policy/index.ts';
import { RUNTIME_POLICIES } from '../../runtime/index.ts';
import type { ServiceParts } from './parts.ts';

/** ConfigurationParts are what the configuration of a service is read from and written to. */
export interface ConfigurationParts extends Pick<
  ServiceParts,
  'policies' | 'runtimePolicies' | 'inCluster' | 'audit' | 'together'
> {
  readonly channels: Channels;
}

/** serviceConfiguration lists the kinds that a configuration holds, in the order in which they are exported and applied. */
export function serviceConfiguration({
  policies,
  runtimePolicies,
  channels,
  inCluster,
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
    ...{ policies: runtimePolicies, inCluster },
  };
  return openConfiguration({
    ...deps,
    kinds: [policyKind(image), policyKind(runtime), channelKind(channels)],
  });
}
