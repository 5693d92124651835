import { ageOf, HOUR, isoOf } from '../ages.ts';
import { fail, ok, warn, type Check, type Verdict } from '../check.ts';
import type { ChannelFacts, ServiceFacts } from './facts.ts';

/** Messages are sent at once; one that waits this long is reported. */
const WAITING = HOUR;

const usable = ({ enabled, fault }: ChannelFacts): boolean => enabled && fault === null;

/** each judges every channel, and says once that all are well. */
function each(
  id: string,
  well: string,
  judge: (channel: ChannelFacts, at: number) => Verdict | null,
): Check<ServiceFacts> {
  return {
    id,
    judge: ({ channels }, at) => {
      if (channels.length === 0) return null;
      const found = channels.map((channel) => judge(channel, at)).filter((one) => one !== null);
      return found.length > 0 ? found : ok(well);
    },
  };
}

/** CHANNEL_CHECKS are those of the channels and of what they are told. */
export const CHANNEL_CHECKS: readonly Check<ServiceFacts>[] = [
  each('channels.valid', 'the settings of every channel are valid', ({ name, fault, enabled }) =>
    fault === null || !enabled
      ? null
      : fail(`the channel ${name} cannot be used: ${fault}`, `Write it again: ipo channel edit ${name}`),
  ),
  each('channels.hosts', 'every channel uses an allowed host', (channel) => {
    const { name, hostFault, isTracker } = channel;
    if (hostFault === null || !usable(channel)) return null;
    const then = isTracker ? '' : `. What failed is sent again with ipo channel resend ${name} --since 24h`;
    return fail(
      `the address of the channel ${name} ${hostFault}: nothing is sent there`,
      `Add the host to trackers.allowedHosts and restart the service, or change the channel: ipo channel edit ${name}${then}`,
    );
  }),
  each('channels.credential', 'every channel has its secret', (channel) => {
    const { name, secrets, enabled, isTracker } = channel;
    const lost = secrets.find(({ state }) => state === 'unreadable');
    if (lost !== undefined)
      return fail(
        `the stored ${lost.field} of the channel ${name} cannot be read: DATA_KEY has changed`,
        `Put the old DATA_KEY back, or enter it again: ipo channel edit ${name} --credential-stdin`,
      );
    const missing = secrets.find(({ state }) => state === 'missing');
    if (missing === undefined || !isTracker || !usable(channel)) return null;
    return enabled
      ? fail(
          `the channel ${name} has no ${missing.field}`,
          `Enter it: ipo channel edit ${name} --credential-stdin`,
        )
      : null;
  }),
  {
    id: 'channels.data-key',
    judge: ({ channels, hasDataKey }) => {
      if (hasDataKey) return ok('DATA_KEY is set');
      if (!channels.some(({ isTracker }) => isTracker)) return null;
      return fail(
        'tracker credentials cannot be stored: DATA_KEY is not set',
        'Give the service the DATA_KEY that it had; a new one needs each token entered again',
      );
    },
  },
  each('channels.errors', 'no channel reports an error', (channel) => {
    const { name, lastError } = channel;
    if (lastError === null || !usable(channel)) return null;
    return fail(`the channel ${name} fails: ${lastError}`, `Try it: ipo channel test ${name}`);
  }),
  each('channels.muted', 'no channel is muted', ({ name, mutedUntil }, at) =>
    mutedUntil === null || mutedUntil <= at
      ? null
      : warn(
          `the channel ${name} is muted until ${isoOf(mutedUntil)}`,
          `Wait, or end it: ipo channel unmute ${name}`,
        ),
  ),
  each('channels.paused', 'no channel is paused', ({ name, paused }) =>
    paused
      ? warn(`the channel ${name} is paused since a restore`, `Resume it: ipo channel resume ${name}`)
      : null,
  ),
  {
    id: 'channels.subscribed',
    judge: ({ channels }) => {
      const enabled = channels.filter(usable);
      if (enabled.length === 0) return null;
      return enabled.some(({ events }) => events.length > 0)
        ? ok(`${enabled.length} channels are subscribed to events`)
        : warn(
            'no enabled channel is subscribed to an event',
            'Subscribe one: ipo channel edit NAME --subscribe EVENT',
          );
    },
  },
  {
    id: 'channels.runtime-alerts',
    judge: ({ channels, notifyingRules }) => {
      if (notifyingRules === 0) return null;
      return channels.some((one) => usable(one) && one.events.includes('runtime_alert'))
        ? ok('a channel is subscribed to runtime_alert')
        : warn(
            'runtime rules notify, and no enabled channel is subscribed to runtime_alert',
            'Subscribe one: ipo channel edit NAME --subscribe EVENT',
          );
    },
  },
  {
    id: 'notifications.sent',
    judge: ({ notifications }, at) => {
      if (notifications === null) return null;
      const { failed, oldest } = notifications;
      const late = oldest !== null && at - oldest > WAITING;
      if (failed === 0 && !late) return ok('messages are sent');
      const found: Verdict[] = [];
      if (failed > 0)
        found.push(
          warn(
            `${failed} messages could not be sent`,
            'See ipo channel deliveries NAME --state failed, and send them with ipo channel resend NAME --since 24h',
          ),
        );
      if (late)
        found.push(
          fail(
            `the oldest message has waited for ${ageOf(at - oldest)}`,
            'See ipo channel show NAME for why, and ipo channel test NAME',
          ),
        );
      return found;
    },
  },
];
