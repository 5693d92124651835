import { z } from 'zod';
import { about, cidrs, flag, group, listAsIs, whole } from './parts.ts';

/** networkPolicy are the values of what the pods may be reached by, and may reach: nothing that is not named. */
export const networkPolicy = group('What reaches the pods, and what they reach: nothing else', {
  enabled: flag('Makes it', true),
  apiFrom: listAsIs(
    'Peers that may reach the API, as NetworkPolicyPeer. None: with `api.ingress.enabled` every namespace, else nobody but `kubectl port-forward`',
  ),
  metricsFrom: listAsIs(
    'Peers that may scrape. None: with `metrics.serviceMonitor.enabled` every namespace, else nobody',
  ),
  webhookFrom: cidrs('Networks that the API server calls from: its address is known to no NetworkPolicy'),
  apiServer: group('The API server', {
    cidrs: cidrs('Its networks'),
    ports: z
      .array(z.int().min(1).max(65_535))
      .default([443, 6443])
      .meta(about('Its ports, behind the Service `kubernetes` too')),
  }),
  database: group('PostgreSQL', {
    cidrs: cidrs('Its networks'),
    port: whole(1, 65_535, 5432, 'Its port'),
  }),
  outside: group('Trackers, registries, catalogues and the identity provider', {
    cidrs: cidrs(
      'Their networks. Host names are no part of a NetworkPolicy: `trackers.allowedHosts` limits these',
    ),
    ports: z.array(z.int().min(1).max(65_535)).default([443]).meta(about('Their ports')),
  }),
});
