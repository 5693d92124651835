import type { PullPlaces } from '../../image/index.ts';
import { Hosts, type HostSettings } from './hosts.ts';

/**
 * pullPlaces tells callers that use registries without this client, such as scanners, where and how to ask for a repository: the places, in
 * the order, with the authorities that the client itself would take. Throws RegistryError `refused` for a host that no address can have.
 */
export function pullPlaces(settings: readonly HostSettings[], ca?: string): PullPlaces {
  const hosts = new Hosts(settings, false, ca ?? null);
  return (repository) =>
    hosts.endpointsOf(repository).map(({ host, path, origin }) => {
      const reach = hosts.reachOf(origin.host);
      return { host, path, plainHttp: reach.plainHttp, authorities: reach.ca };
    });
}
