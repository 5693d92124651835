import type { AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime, IpoError, type Clock } from '../../base/index.ts';
import { isTrackerKind, type Channels, type StoredChannel } from '../../channels/index.ts';
import type { Delivery, DeliveryList, Mute, MuteStore } from '../../notify/index.ts';
import { channelPath } from '../contract/channels.ts';
import {
  deliveriesQuery,
  DELIVERIES_PAGE,
  deliverySchema,
  MAX_DELIVERIES,
  muteBody,
  muteSchema,
  resendBody,
  resentSchema,
  type DeliveryBody,
  type MuteBody,
} from '../contract/notifications.ts';
import { listOf } from '../contract/paging.ts';
import { openRecording } from '../recording.ts';
import { route, type Route } from '../route.ts';

/** NotificationParts are what the routes of notifications act through. */
export interface NotificationParts {
  readonly channels: Pick<Channels, 'get'>;
  readonly deliveries: DeliveryList;
  readonly mutes: MuteStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

/** notificationRoutes list what channels were told, send it again, and mute channels. */
export function notificationRoutes(parts: NotificationParts): Route[] {
  return [...deliveryRoutes(parts), ...muteRoutes(parts)];
}

function deliveryRoutes(parts: NotificationParts): Route[] {
  const { deliveries, clock, together } = parts;
  const { record, teller } = openActs(parts);
  return [
    route({
      key: 'GET /channels/{id}/deliveries',
      id: 'listDeliveries',
      tag: 'channels',
      summary: 'List the messages that a channel was sent, newest first',
      params: channelPath,
      query: deliveriesQuery,
      answers: { 200: { description: 'The messages of the last 90 days', schema: listOf(deliverySchema) } },
      handle: async ({ params, query: { state, limit = DELIVERIES_PAGE, offset = 0 } }) => {
        await teller(params.id);
        const { items, total } = await deliveries.list({
          channelId: params.id,
          state: state ?? null,
          limit: Math.min(limit, MAX_DELIVERIES),
          offset,
        });
        return { body: { items: items.map(toDeliveryBody), total } };
      },
    }),
    route({
      key: 'POST /channels/{id}/resend',
      id: 'resendDeliveries',
      tag: 'channels',
      summary: 'Send messages again, each with its id',
      params: channelPath,
      body: resendBody,
      answers: { 200: { description: 'How many are sent again', schema: resentSchema } },
      handle: async (call) => {
        const { id } = await teller(call.params.id);
        const { messages, since } = call.body;
        const which = messages === undefined ? { since: since ?? 0 } : { messages };
        const resent = await together(async () => {
          const count = await deliveries.resend(id, which, clock.now());
          if (count > 0) await record(call, 'channel_resend', id, { messages: count });
          return count;
        });
        return { body: { resent } };
      },
    }),
  ];
}

function muteRoutes(parts: NotificationParts): Route[] {
  const { mutes, clock, together } = parts;
  const { record, teller } = openActs(parts);
  return [
    route({
      key: 'PUT /channels/{id}/mute',
      id: 'muteChannel',
      tag: 'channels',
      summary: 'Send a channel nothing for a while',
      description: 'What happens meanwhile is sent in one message after the mute, which ends by itself.',
      params: channelPath,
      body: muteBody,
      answers: { 200: { description: 'The mute', schema: muteSchema } },
      handle: async (call) => {
        const { id } = await teller(call.params.id);
        const { for: ms, reason } = call.body;
        const mutedAt = clock.now();
        const mute: Mute = {
          channelId: id,
          mutedAt,
          until: mutedAt + ms,
          reason,
          mutedBy: `user:${(call.principal as Principal).accountId}`,
        };
        await together(async () => {
          await mutes.mute(mute);
          await record(call, 'channel_mute', id, { until: formatTime(mute.until), reason });
        });
        return { body: toMuteBody(mute) };
      },
    }),
    route({
      key: 'DELETE /channels/{id}/mute',
      id: 'unmuteChannel',
      tag: 'channels',
      summary: 'End the mute of a channel',
      params: channelPath,
      answers: { 204: { description: 'The channel is not muted' } },
      handle: async (call) => {
        const { id } = await teller(call.params.id);
        const by = `user:${(call.principal as Principal).accountId}`;
        await together(async () => {
          if (await mutes.unmute(id, clock.now(), by)) await record(call, 'channel_unmute', id, {});
        });
        return { status: 204 };
      },
    }),
  ];
}

/** What both have in common: entries of the audit log, and channels that are told. */
function openActs({ channels, audit }: Pick<NotificationParts, 'channels' | 'audit'>) {
  const record = openRecording(audit);
  const teller = async (id: string): Promise<StoredChannel> => {
    const { channel } = await channels.get(id);
    if (!isTrackerKind(channel.kind)) return channel;
    throw new IpoError(
      'invalid_request',
      `${channel.name} is a channel of ${channel.kind}, which is sent no messages`,
      {
        hint: 'ipo tracking list shows the issues that it opened',
      },
    );
  };
  return { record, teller };
}

function toDeliveryBody(delivery: Delivery): DeliveryBody {
  const { state, notBefore, attemptedAt, endedAt } = delivery;
  return {
    message: delivery.message,
    channel_id: delivery.channelId,
    channel: delivery.channelName,
    kind: delivery.kind,
    to: delivery.target,
    title: delivery.title,
    events: [...delivery.events],
    state,
    created_at: formatTime(delivery.createdAt),
    attempts: delivery.attempts,
    attempted_at: attemptedAt === null ? null : formatTime(attemptedAt),
    next_attempt_at: state === 'waiting' ? formatTime(notBefore) : null,
    ended_at: endedAt === null ? null : formatTime(endedAt),
    answer: delivery.answer,
    last_error: delivery.lastError,
  };
}

/** toMuteBody is a mute as the API answers it. */
export function toMuteBody({ mutedAt, until, reason, mutedBy }: Mute): MuteBody {
  return { muted_at: formatTime(mutedAt), until: formatTime(until), reason, muted_by: mutedBy };
}
