import { existsSync } from 'node:fs';
import { hostOfSettings } from '../../channels/index.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { readHistory } from '../migrations/history.ts';
import { columnNames } from '../sql/dialect.ts';
import type { AnyDatabase } from '../sql/schema.ts';
import { connect } from './connect.ts';
import { parseLocation } from './location.ts';

/** StoredDocuments are documents in a database of any release that a later one may refuse. */
export interface StoredDocuments {
  /** Policies as they were sent, by name. */
  readonly policies: readonly { readonly name: string; readonly document: string }[];
  /** Channels that call an address, with the host of it. */
  readonly channels: readonly { readonly name: string; readonly host: string }[];
  /** Names of runtime rules whose action is `block`. */
  readonly blockingRules: readonly string[];
  /** Whether a licence certificate without a node ceiling is active. */
  readonly licenceWithoutNodes: boolean;
}

/** readStoredDocuments reads them from a database of any release, and writes nothing. Throws StoreError. */
export async function readStoredDocuments(url: string): Promise<StoredDocuments> {
  const none = { policies: [], channels: [], blockingRules: [], licenceWithoutNodes: false };
  const location = parseLocation(url);
  if (location.engine === 'sqlite' && !existsSync(location.file)) return none;
  const db: AnyDatabase = await connect<never>(location, { readOnly: true, mustExist: true, poolSize: 1 });
  try {
    if ((await readHistory(db, location.name, MIGRATIONS)).length === 0) return none;
    return {
      policies: await policies(db),
      channels: await channels(db),
      blockingRules: await blockingRules(db),
      licenceWithoutNodes: await licenceWithoutNodes(db),
    };
  } finally {
    await db.destroy();
  }
}

async function policies(db: AnyDatabase): Promise<StoredDocuments['policies']> {
  if (!(await columnNames(db, 'policies')).includes('document')) return [];
  const rows = await db.selectFrom('policies').select(['name', 'document']).orderBy('name').execute();
  return rows.map(({ name, document }) => ({ name: String(name), document: String(document) }));
}

/** An address may be the secret of its channel: only its host is given. */
async function channels(db: AnyDatabase): Promise<StoredDocuments['channels']> {
  if (!(await columnNames(db, 'channels')).includes('settings')) return [];
  const rows = await db.selectFrom('channels').select(['name', 'settings']).orderBy('name').execute();
  return rows.flatMap(({ name, settings }) => {
    const host = hostOf(settings);
    return host === null ? [] : [{ name: String(name), host }];
  });
}

/** Settings that cannot be read are named by the doctor. */
function hostOf(settings: unknown): string | null {
  try {
    return hostOfSettings(typeof settings === 'string' ? JSON.parse(settings) : settings);
  } catch {
    return null;
  }
}

async function blockingRules(db: AnyDatabase): Promise<readonly string[]> {
  if (!(await columnNames(db, 'runtime_rules')).includes('action')) return [];
  const rows = await db
    .selectFrom('runtime_rules')
    .select('name')
    .where('action', '=', 'block')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => String(name));
}

async function licenceWithoutNodes(db: AnyDatabase): Promise<boolean> {
  const columns = await columnNames(db, 'licence');
  if (columns.length === 0) return false;
  const rows = await db.selectFrom('licence').selectAll().execute();
  return rows.some((row) => row['nodes'] === undefined);
}
