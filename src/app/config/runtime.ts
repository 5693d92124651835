import { isIP } from 'node:net';
import { z } from 'zod';
import { whole } from './parts.ts';

/** runtimeSettings say how long events of the runtime detector are kept, and how many pods may be stopped. */
export const runtimeSettings = z
  .strictObject({
    retentionDays: whole(
      0,
      36_500,
      'Days for which events of the runtime detector are kept. 0 keeps all. The counts of each day are kept as `evidence.retentionDays` says',
    ).default(90),
    maxStops: whole(
      1,
      1000,
      'Pods that are stopped within a minute at most, by runtime policies and by `runtimeReconciliation: enforce` together. Further stops are withheld or wait',
    ).default(10),
  })
  .prefault({});

const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

/** integrationSettings say what sends events to the service. */
export const integrationSettings = z
  .strictObject({
    port: whole(
      0,
      65_535,
      'Port of the listener of the runtime detector, on the address of `listen`; 0 takes a free one',
    ).default(8444),
    detector: z
      .strictObject({
        enabled: z.boolean().default(false).meta({
          description:
            'Opens the listener, which takes events with TLS 1.3 and only from the detector’s certificate',
        }),
        names: z
          .array(
            z.string().refine((name) => hostName.test(name) || isIP(name) !== 0, {
              error: 'must be the name of a host, or an address',
            }),
          )
          .max(20)
          .default([])
          .meta({
            description:
              'Names and addresses by which the detector calls, beside localhost and the names of `service`',
          }),
        secret: z.string().min(1).max(253).optional().meta({
          description:
            'Secret of the operator’s namespace with the certificates. Unset: the file `detector.json` in the data directory',
        }),
        service: z.string().min(1).max(253).optional().meta({
          description: 'Service of the listener, whose names its certificate has',
        }),
      })
      .prefault({}),
  })
  .prefault({});
