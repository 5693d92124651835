import type { SigningKey } from '../../adapters/messengers/index.ts';
import type { Line } from '../../adapters/transport/index.ts';
import { Secret, type Clock } from '../../base/index.ts';
import type { Messengers } from '../../notify/index.ts';

/** MessengersDeps are what every messenger of a process shares. */
export interface MessengersDeps {
  readonly line: Line;
  /** Names the installation for who gets its webhooks: a URI. */
  readonly source: string;
  readonly key: () => Promise<SigningKey>;
  readonly clock: Clock;
}

/** openMessengers gives what opens the messenger of a channel of each kind; the library of a kind is loaded with its first channel. */
export function openMessengers({ line, source, key, clock }: MessengersDeps): Messengers {
  return {
    async open(channel, guard) {
      const { openMail, openSlack, openTeams, openWebhook } =
        await import('../../adapters/messengers/index.ts');
      switch (channel.kind) {
        case 'email':
          return openMail({
            settings: channel.settings,
            rules: line.rules,
            ca: line.outbound?.authorities,
            outbound: line.outbound,
            guard,
            timeoutMs: line.timeoutMs,
          });
        case 'slack':
          return openSlack(channel.settings.webhookUrl, guard, line);
        case 'teams':
          return openTeams(channel.settings.webhookUrl, guard, line);
        case 'webhook': {
          const { webhookUrl: url, secret } = channel.settings;
          return openWebhook(
            {
              url,
              source,
              guard,
              clock,
              key: await key(),
              secret: secret === null ? null : new Secret(secret),
            },
            line,
          );
        }
      }
    },
  };
}
