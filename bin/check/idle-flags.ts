import { parseNames } from './inputs.ts';
import type { CheckOptions } from './options.ts';
import type { CheckedPod } from '../../src/checks/index.ts';

/** idleFlags names the flags that change nothing as they are given. */
export function idleFlags(pods: readonly CheckedPod[], options: CheckOptions): readonly string[] {
  return [...bypassNotes(pods, options), ...exposureNotes(options), ...registryNotes(options)];
}

/** How registries are called matters to none where none is asked; such flags stand in the scripts of a pipeline all the same. */
function registryNotes({
  offline,
  registry,
  registryCa,
  trustRoot,
  insecureRegistry,
}: CheckOptions): string[] {
  if (offline !== true && registry !== 'never') return [];
  const flags = {
    '--registry-ca': registryCa,
    '--trust-root': trustRoot,
    '--insecure-registry': insecureRegistry,
  };
  const idle = Object.entries(flags).filter(([, value]) => value !== undefined);
  return idle.map(
    ([flag]) => `${flag} has no effect with ${offline === true ? '--offline' : '--registry never'}`,
  );
}

/** An exposure counts by its signal. */
function exposureNotes({ exposedBy, signals }: CheckOptions): string[] {
  return exposedBy !== undefined && parseNames(signals)?.includes('exposed') === false
    ? ['--exposed-by has no effect unless --signals names exposed']
    : [];
}

/** The annotation and who asks belong together; one by itself changes nothing. */
function bypassNotes(pods: readonly CheckedPod[], { groups }: CheckOptions): string[] {
  const asks = pods.some(({ breakGlassReason }) => breakGlassReason !== null);
  if (asks && (parseNames(groups) ?? []).length === 0)
    return ['break-glass has no effect without --groups, which names the groups of the requester'];
  const byName = pods.every(({ file }) => file === null);
  return !asks && byName && groups !== undefined
    ? ['--groups has no effect without --break-glass REASON on images given by name']
    : [];
}
