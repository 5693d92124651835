import { z } from 'zod';

/** trackerSettings say which addresses trackers may have. */
export const trackerSettings = z
  .strictObject({
    allowedHosts: z
      .array(
        z
          .string()
          .regex(/^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i, {
            error: 'must be a host name such as gitlab.example.com, or *.example.com',
          }),
      )
      .max(100)
      .default([])
      .meta({
        description:
          'Hosts that trackers, chats and webhooks may have, `*.example.com` for those below a name; none is any',
      }),
    privateNetworks: z.enum(['allow', 'refuse']).default('allow').meta({
      description: 'Whether a tracker may have an address of a private network, as one of your own does',
    }),
    testLoopback: z.boolean().default(false).meta({
      description:
        'Lets trackers be on this machine, also over plain HTTP. For tests and the demo: never set it where a service runs',
    }),
  })
  .prefault({});
