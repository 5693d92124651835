import { formatTime } from '../base/index.ts';
import { hasEffect, targetOf, toDocument, type ShownChannel } from '../channels/index.ts';
import type { ChannelBody } from './contract/channels.ts';

/** toChannelBody is a channel as the API answers it; no secret is in it. */
export function toChannelBody({ channel, secrets }: ShownChannel): ChannelBody {
  const { id, kind, name, enabled, subscriptions, fault, paused } = channel;
  return {
    id,
    kind,
    name,
    enabled,
    subscriptions: [...subscriptions],
    without_effect: subscriptions.filter((event) => !hasEffect(kind, event)),
    target: targetOf(channel),
    document: { ...toDocument(channel) },
    secrets: secrets.map(({ field, state }) => ({ field, state })),
    fault,
    ...(paused !== undefined && {
      paused: {
        since: formatTime(paused.since),
        resume_asked_at: toTime(paused.askedAt),
        error: paused.error,
      },
    }),
    created_at: formatTime(channel.createdAt),
    updated_at: formatTime(channel.updatedAt),
    updated_by: channel.updatedBy,
    first_run_at: toTime(channel.firstRunAt),
    not_before: toTime(channel.notBefore),
    last_error: channel.lastError,
    last_error_at: toTime(channel.lastErrorAt),
  };
}

function toTime(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
