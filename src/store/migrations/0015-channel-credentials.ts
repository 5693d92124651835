import { createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

const FIELDS = ['token', 'apiToken', 'bearerToken'];
const TRACKERS = ['github', 'gitlab', 'jira'];

/**
 * Credentials of trackers leave the settings, so that no answer or export can hold one. They are carried as they are: the leader, which
 * has the key, seals what is still plain when it starts.
 */
export const channelCredentials: Migration = {
  name: '0015-channel-credentials',
  release: '1.1.0',
  summary: 'Credentials of trackers stand apart from settings, to be sealed',
  async up(db) {
    await createTable(
      db,
      'channel_credentials',
      { channel_id: 'text!', field: 'text!', value: 'text!', updated_at: 'integer!' },
      { key: ['channel_id', 'field'], belongsTo: { channel_id: 'channels.id' } },
    );
    const channels = await db
      .selectFrom('channels')
      .select(['id', 'settings', 'updated_at'])
      .where('kind', 'in', TRACKERS)
      .execute();
    for (const { id, settings, updated_at } of channels) {
      const { credentials, rest } = split(String(settings));
      if (credentials.length === 0) continue;
      for (const [field, value] of credentials)
        await db
          .insertInto('channel_credentials')
          .values({ channel_id: id, field, value, updated_at })
          .execute();
      await db.updateTable('channels').set({ settings: rest }).where('id', '=', id).execute();
    }
  },
};

function split(settings: string): {
  readonly credentials: readonly (readonly [string, string])[];
  readonly rest: string;
} {
  let document: unknown;
  try {
    document = JSON.parse(settings);
  } catch {
    return { credentials: [], rest: settings }; // what cannot be read holds no credential that could be used
  }
  if (document === null || typeof document !== 'object') return { credentials: [], rest: settings };
  const entries: [string, unknown][] = Object.entries(document);
  return {
    credentials: entries.flatMap(([field, value]) =>
      FIELDS.includes(field) && typeof value === 'string' && value !== '' ? [[field, value] as const] : [],
    ),
    rest: JSON.stringify(Object.fromEntries(entries.filter(([field]) => !FIELDS.includes(field)))),
  };
}
