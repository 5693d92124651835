import type { ChannelBody } from '../../src/api/contract/channels.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { IpoError, nearest } from '../../src/base/index.ts';
import { isTrackerKind } from '../../src/channels/index.ts';
import { UsageError } from '../terminal/usage.ts';
import { clean } from '../terminal/clean.ts';

/** FoundChannel is a channel with the version that a write must name. */
export interface FoundChannel {
  readonly body: ChannelBody;
  /** JSON of the body, byte for byte. */
  readonly text: string;
  readonly etag: string;
}

/** findChannel settles which channel a text means: by its id, else by its name. Throws IpoError `not_found`. */
export async function findChannel(service: ServiceClient, which: string): Promise<FoundChannel> {
  const { body } = await service.json<{ items: readonly ChannelBody[] }>('GET /channels');
  const found = body.items.find(({ id }) => id === which) ?? body.items.find(({ name }) => name === which);
  if (found === undefined) {
    const meant = nearest(
      which,
      body.items.map(({ name }) => name),
    );
    throw new IpoError('not_found', `no channel has the name or ID ${clean(which)}`, {
      hint: meant === null ? '`ipo channel list` lists all channels' : `Did you mean ${clean(meant)}?`,
    });
  }
  const answer = await service.json<ChannelBody>('GET /channels/{id}', { params: { id: found.id } });
  return { body: answer.body, text: answer.text, etag: answer.headers['etag'] ?? '' };
}

/** assertTracker refuses a channel that opens no issues, with its name. Throws UsageError. */
export function assertTracker(channel: Pick<ChannelBody, 'name' | 'kind'>): void {
  if (isTrackerKind(channel.kind)) return;
  throw new UsageError(
    `${toName(channel)} is a channel of the kind ${channel.kind}; only trackers (github, gitlab, jira) open issues`,
    '`ipo channel list` lists all channels',
  );
}

/** toName is a channel's name as a terminal may show it. */
export function toName({ name }: Pick<ChannelBody, 'name'>): string {
  return clean(name, 100);
}

/** quoted is a channel's name as a shell takes it in one piece. */
export function quoted(name: string): string {
  return /^[\w./:@-]+$/.test(name) ? name : `'${clean(name, 100).replaceAll("'", "'\\''")}'`;
}
