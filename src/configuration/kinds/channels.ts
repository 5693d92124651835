import { byCodeUnit, type FieldFault } from '../../base/index.ts';
import { ChannelError, toDocument, type Channels, type StoredChannel } from '../../channels/index.ts';
import { API_VERSION, bundledPath, sorted, specOf } from '../bundle.ts';
import { planEach } from '../each.ts';
import type { Bundled, Json, Kind, Planned } from '../kind.ts';

const KIND = 'Channel';

type Parts = Pick<Channels, 'list' | 'plan' | 'remove'>;

/** channelKind brings channels into a configuration, never with a secret or its ciphertext. */
export function channelKind(channels: Parts): Kind {
  const all = async () =>
    (await channels.list({ limit: null, offset: 0 })).items
      .map(({ channel }) => channel)
      .toSorted((a, b) => byCodeUnit(a.name, b.name));
  return {
    kind: KIND,
    place: 'database',
    list: async () => ({ documents: (await all()).map((one) => toBundled(toDocument(one))), left: [] }),
    async plan(bundled, prune) {
      const planned = await planEach(bundled, (one) => planOne(one, channels), faultsOf);
      if ('faults' in planned || !prune) return planned;
      const gone = (await all()).filter(({ name }) => !bundled.some((one) => one.name === name));
      return [...planned, ...gone.map((channel) => planRemoval(channel, channels))];
    },
  };
}

async function planOne({ name, document }: Bundled, channels: Parts): Promise<Planned> {
  const spec = specOf(document, ['name']);
  const { change, before, after, waits, warnings, apply } = await channels.plan({ ...spec, name });
  const waiting = `it stays disabled until its secret is entered: ipo channel edit ${name} --credential-stdin`;
  return {
    name,
    change,
    before: before === null ? null : toBundled(toDocument(before)),
    after: toBundled(after),
    notes: [...(waits ? [waiting] : []), ...(change === 'unchanged' ? [] : warnings)],
    ...(change !== 'unchanged' && {
      async apply(by: string) {
        const { id, kind, enabled } = await apply(by);
        const action = change === 'create' ? 'channel_create' : 'channel_update';
        return { action, target: id, detail: { kind, name, enabled } } as const;
      },
    }),
  };
}

function planRemoval(channel: StoredChannel, channels: Parts): Planned {
  const { id, kind, name, version } = channel;
  return {
    name,
    change: 'delete',
    before: toBundled(toDocument(channel)),
    after: null,
    notes: ['its secret is deleted, and issues that it opened stay open unless another channel adopts them'],
    async apply() {
      await channels.remove(id, [version]);
      return { action: 'channel_delete', target: id, detail: { kind, name } };
    },
  };
}

/** `kind` and the fields of the channel stand in the spec, its name in the metadata. */
function toBundled({ name, ...spec }: Json): Json {
  return sorted({ apiVersion: API_VERSION, kind: KIND, metadata: { name }, spec });
}

function faultsOf(error: unknown): readonly FieldFault[] | null {
  if (!(error instanceof ChannelError) || error.fields === undefined) return null;
  return error.fields.map(({ path, message }) => ({
    path: bundledPath(path),
    message,
  }));
}
