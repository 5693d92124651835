import { z } from 'zod';
import { about, cidrs, flag, group, listAsIs, name, text, texts, whole } from './parts.ts';

/** outbound are the values of how calls leave the cluster. */
export const outbound = group(
  'How calls to other machines leave: trackers, channels, feeds, registries, the identity provider',
  {
    proxy: text('Proxy as `http://HOST:PORT` or `https://HOST:PORT`, without a password'),
    existingSecret: name(
      'Secret with the key `proxy`: the address of a proxy with its user name and password, instead of `proxy`',
    ),
    noProxy: texts(
      'Hosts, domains, addresses and networks that are called without the proxy, as in NO_PROXY. Names of the cluster always are',
    ),
    caConfigMap: name(
      'ConfigMap with the key `ca.crt`: authorities that are trusted for these calls and for mail, in addition to those of the system',
    ),
  },
);

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
  detectorFrom: cidrs(
    'Networks that the runtime detector calls from, where `integrations.detector.enabled` is on',
  ),
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
  outside: group(
    'Trackers, channels, registries, catalogues, the time stamp authority and the identity provider',
    {
      cidrs: cidrs('Their networks. A NetworkPolicy has no host names: `trackers.allowedHosts` limits these'),
      ports: z.array(z.int().min(1).max(65_535)).default([443]).meta(about('Their ports')),
    },
  ),
  proxy: group('The proxy, where `outbound` names one', {
    cidrs: cidrs('Its networks'),
    ports: z.array(z.int().min(1).max(65_535)).default([3128, 8080]).meta(about('Its ports')),
  }),
  mail: group('Mail servers of channels', {
    enabled: flag('Lets the pods reach them', false),
    cidrs: cidrs('Their networks'),
    ports: z.array(z.int().min(1).max(65_535)).default([465, 587]).meta(about('Their ports')),
  }),
});
