import { byCodeUnit } from '../base/index.ts';
import type { Group } from './population.ts';

/** Hosts on which anybody may have repositories: there an entry names an owner at least. */
const SHARED =
  /^(?:docker\.io|ghcr\.io|quay\.io|registry\.gitlab\.com|(?:[a-z]+\.)?gcr\.io|public\.ecr\.aws|registry\.k8s\.io|mcr\.microsoft\.com|[a-z0-9-]+-docker\.pkg\.dev)$/;

/** registriesOf gives the tightest allow-list by longest common paths: of a shared host one entry for each owner, else one for each host. */
export function registriesOf(groups: readonly Group[]): string[] {
  const names = new Set(groups.flatMap(({ subject }) => subject?.reference.name ?? []));
  const bundles = Map.groupBy([...names].toSorted(byCodeUnit), (name) => {
    const [host = '', owner = ''] = name.split('/');
    return SHARED.test(host) ? `${host}/${owner}` : host;
  });
  return [...bundles.values()].map(commonPath).toSorted(byCodeUnit);
}

function commonPath(names: readonly string[]): string {
  const [first = [], ...others] = names.map((name) => name.split('/'));
  let length = first.length;
  for (const other of others) {
    let same = 0;
    while (same < length && first[same] === other[same]) same += 1;
    length = same;
  }
  return first.slice(0, Math.max(1, length)).join('/');
}
