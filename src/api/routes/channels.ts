import type { AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import {
  targetWarnings,
  type Channels,
  type StoredChannel,
  type WrittenChannel,
} from '../../channels/index.ts';
import { toChannelBody } from '../channel-bodies.ts';
import {
  adoptedSchema,
  adoptionBody,
  channelDocument,
  channelPath,
  channelSchema,
  channelTestSchema,
  writtenChannelSchema,
  type AdoptedBody,
  type ChannelBody,
  type ChannelTestBody,
} from '../contract/channels.ts';
import { listOf, pageSchema } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import { expectedOf, toETag } from '../if-match.ts';
import { openRecording, type RecordedCall } from '../recording.ts';
import { route, type Answered, type Route, type RouteAnswer } from '../route.ts';

/** ChannelParts are what the routes of channels act through. */
export interface ChannelParts {
  readonly channels: Channels;
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
  /** How what a channel is told stands; undefined for a tracker. */
  told?(channel: StoredChannel): Promise<ChannelBody['notifications']>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const TAKEN: Answered = { ...PROBLEM, description: 'Another channel has this name' };
const CHANGED: Answered = { ...PROBLEM, description: 'The channel has been changed since it was read' };
const UNSURE: Answered = { ...PROBLEM, description: 'The call has no If-Match' };
const KEYLESS: Answered = {
  ...PROBLEM,
  description: 'The service has no DATA_KEY, without which a channel of a tracker is not saved',
};
const ETAG = { ETag: 'Version of the channel, for If-Match' };
const IF_MATCH = 'Needs `If-Match` with the ETag that GET gave, or `*` for whatever stands.';
const MAX_BODY = 65_536;

/** channelRoutes read, write and test channels. A write and its audit entry are durable together before its answer. */
export function channelRoutes(parts: ChannelParts): Route[] {
  return [...allChannelsRoutes(parts), ...oneChannelRoutes(parts), ...actRoutes(parts)];
}

function allChannelsRoutes(parts: ChannelParts): Route[] {
  const { channels } = parts;
  return [
    route({
      key: 'GET /channels',
      id: 'listChannels',
      tag: 'channels',
      summary: 'List the channels, in order of creation',
      query: pageSchema,
      answers: { 200: { description: 'The channels', schema: listOf(channelSchema) } },
      handle: async ({ query: { limit, offset } }) => {
        const { items, total } = await channels.list({ limit: limit ?? null, offset: offset ?? 0 });
        return { body: { items: items.map(toChannelBody), total } };
      },
    }),
    route({
      key: 'POST /channels',
      id: 'createChannel',
      tag: 'channels',
      summary: 'Create a channel',
      body: channelDocument,
      maxBody: MAX_BODY,
      answers: {
        201: {
          description: 'The channel',
          schema: writtenChannelSchema,
          headers: { ...ETAG, Location: 'Path of the channel' },
        },
        409: TAKEN,
        503: KEYLESS,
      },
      handle: async (call) =>
        answerOf(await write(parts, call, 'channel_create', (by) => channels.create(call.body, by)), 201),
    }),
  ];
}

function oneChannelRoutes(parts: ChannelParts): Route[] {
  const { channels, audit, together, told } = parts;
  return [
    route({
      key: 'GET /channels/{id}',
      id: 'showChannel',
      tag: 'channels',
      summary: 'Show a channel, without its secrets',
      params: channelPath,
      answers: { 200: { description: 'The channel', schema: channelSchema, headers: ETAG } },
      handle: async ({ params }) => {
        const shown = await channels.get(params.id);
        const notifications = await told?.(shown.channel);
        return {
          body: { ...toChannelBody(shown), ...(notifications !== undefined && { notifications }) },
          headers: { etag: toETag(shown.channel.version) },
        };
      },
    }),
    route({
      key: 'PUT /channels/{id}',
      id: 'updateChannel',
      tag: 'channels',
      summary: 'Update a channel',
      description: `${IF_MATCH} The whole document is written; secrets that it leaves out stay. Where \`apiBaseUrl\` leads to another host, the credential is entered again.`,
      params: channelPath,
      body: channelDocument,
      maxBody: MAX_BODY,
      answers: {
        200: { description: 'The channel as it is now', schema: writtenChannelSchema, headers: ETAG },
        409: TAKEN,
        412: CHANGED,
        428: UNSURE,
        503: KEYLESS,
      },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        const act = (by: string) => channels.update(call.params.id, call.body, expected, by);
        return answerOf(await write(parts, call, 'channel_update', act), 200);
      },
    }),
    route({
      key: 'DELETE /channels/{id}',
      id: 'deleteChannel',
      tag: 'channels',
      summary: 'Delete a channel with its credential',
      description: `${IF_MATCH} Issues that it opened are closed by nobody from then on, unless another channel adopts them.`,
      params: channelPath,
      answers: { 204: { description: 'The channel is gone' }, 412: CHANGED, 428: UNSURE },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        await together(async () => {
          const { id, kind, name } = await channels.remove(call.params.id, expected);
          await openRecording(audit)(call, 'channel_delete', id, { kind, name });
        });
        return { status: 204 };
      },
    }),
  ];
}

function actRoutes(parts: ChannelParts): Route[] {
  const { channels } = parts;
  const record = openRecording(parts.audit);
  return [
    route({
      key: 'POST /channels/{id}/adopt',
      id: 'adoptIssues',
      tag: 'channels',
      summary: 'Let a channel close the issues of a deleted one',
      params: channelPath,
      body: adoptionBody,
      answers: {
        200: { description: 'What became of its open rows', schema: adoptedSchema },
        409: { ...PROBLEM, description: 'The other channel is there, or was of another kind' },
      },
      handle: async (call) => {
        const { channel: from } = call.body;
        const { adopted, left } = await channels.adopt(call.params.id, from, (piece) =>
          record(call, 'channel_adopt', call.params.id, { channel: from, ...piece }),
        );
        const body: AdoptedBody = { adopted, left };
        return { body };
      },
    }),
    route({
      key: 'POST /channels/{id}/resume',
      id: 'resumeChannel',
      tag: 'channels',
      summary: 'Let a channel go on that is paused since a restore',
      description:
        'A tracker goes on once the leader has looked up, within a minute, what was filed since the backup; any other channel at once. `paused` says how it stands.',
      params: channelPath,
      answers: { 200: { description: 'The channel as it is now', schema: writtenChannelSchema } },
      handle: async (call) =>
        answerOf(await write(parts, call, 'channel_resume', () => channels.resume(call.params.id)), 200),
    }),
    route({
      key: 'POST /channels/{id}/test',
      id: 'testChannel',
      tag: 'channels',
      summary: 'Try a channel: a tracker by one read, another by one test message',
      description:
        'A tracker is asked by one GET of the repository or project, and nothing is written there. Any other channel is sent one message that says it is a test; whether it arrived, a person must see.',
      params: channelPath,
      answers: { 200: { description: 'What was found', schema: channelTestSchema } },
      handle: async (call) => {
        const { channel, test, told } = await channels.test(
          call.params.id,
          (call.principal as Principal).name,
        );
        const { id, kind, name } = channel;
        await record(call, 'channel_test', id, { kind, name, works: test.works });
        const { works, hints } = test;
        const { status, detail, limitedUntil } = told;
        const body: ChannelTestBody = {
          works,
          status,
          limited_until: limitedUntil === null ? null : formatTime(limitedUntil),
          detail,
          hints: [...hints],
          wrote: test.wrote === true,
        };
        return { body };
      },
    }),
  ];
}

function write(
  { audit, together }: ChannelParts,
  call: RecordedCall,
  action: AuditAction,
  act: (by: string) => Promise<WrittenChannel>,
): Promise<WrittenChannel> {
  const record = openRecording(audit);
  return together(async () => {
    const written = await act(`user:${(call.principal as Principal).accountId}`);
    const { id, kind, name, enabled } = written.channel;
    if (written.changed) await record(call, action, id, { kind, name, enabled });
    return written;
  });
}

function answerOf(written: WrittenChannel, status: 200 | 201): RouteAnswer {
  const { id, version } = written.channel;
  return {
    status,
    body: {
      ...toChannelBody(written),
      changed: written.changed,
      warnings: [...targetWarnings(written.channel)],
    },
    headers: { etag: toETag(version), ...(status === 201 && { location: `/api/v1/channels/${id}` }) },
  };
}
