import { z } from 'zod';
import { readException, readProxy } from '../../adapters/proxy/index.ts';
import { Secret } from '../../base/index.ts';
import { path } from './parts.ts';

const proxy = z
  .string()
  .max(4096)
  .superRefine((text, context) => {
    const read = readProxy(text);
    if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault });
  })
  .meta({
    description:
      'Proxy for calls to trackers, channels (mail too), feeds, registries, the identity provider and HTTP anchors, and for scanners: `http://[USER:PASSWORD@]HOST:PORT` or `https://…`. HTTPS stays encrypted end to end. Unset: everything is called directly',
    format: 'http://… or https://…',
    secret: true,
  })
  .transform((text) => new Secret(text.trim()));

const exception = z.string().refine((text) => readException(text) !== null, {
  error:
    'must be a host, a domain, an address or a network, with :PORT or not, such as .example.com or 10.0.0.0/8',
});

/** outboundSettings say how calls to other machines leave. */
export const outboundSettings = z
  .strictObject({
    proxy: proxy.optional(),
    noProxy: z.array(exception).max(1000).default([]).meta({
      description:
        'Targets that are called without the proxy, as in `NO_PROXY`, each with `:PORT` or not. `example.com` also means the names below it, `.example.com` only those. Addresses and networks such as `10.0.0.0/8` count too; `*` is everything. This machine and names of the cluster are always called directly',
    }),
    caFile: path(
      'PEM file with authorities that are trusted for all these calls and for mail, in addition to those of the system. Read at the start',
    ).optional(),
  })
  .prefault({});

/** OutboundSettings are they. */
export type OutboundSettings = z.output<typeof outboundSettings>;
