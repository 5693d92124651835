import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import {
  personOf,
  withoutPerson,
  withoutPersonIn,
  type Account,
  type FoundCopies,
  type Person,
} from '../../accounts/index.ts';
import type { Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

/**
 * NAME_COPIES are the columns that hold a copy of somebody's name, and the column beside it that says whose it is, where there is
 * one. A test holds that every column of the schema whose name ends with `_by` for a person is among them.
 */
export const NAME_COPIES: readonly {
  readonly table: string;
  readonly copy: string;
  readonly owner: string | null;
}[] = [
  { table: 'audit', copy: 'actor', owner: 'actor_id' },
  { table: 'tokens', copy: 'name', owner: 'account_id' },
  { table: 'triage', copy: 'triaged_by', owner: 'account_id' },
  { table: 'runtime_rules', copy: 'created_by', owner: 'account_id' },
  { table: 'policies', copy: 'updated_by', owner: null },
  { table: 'policy_revisions', copy: 'recorded_by', owner: null },
  { table: 'channels', copy: 'updated_by', owner: null },
  { table: 'runtime_policies', copy: 'updated_by', owner: null },
  { table: 'scan_queue', copy: 'requested_by', owner: null },
  { table: 'channel_mutes', copy: 'muted_by', owner: null },
  { table: 'channel_mutes', copy: 'unmuted_by', owner: null },
  { table: 'declarations', copy: 'declared_by', owner: null },
  { table: 'tracking', copy: 'confirmed_by', owner: null },
];

/** TEXTS are free texts in which a name may stand. */
const TEXTS: readonly { readonly table: string; readonly text: string }[] = [
  { table: 'audit', text: 'target' },
  { table: 'audit', text: 'detail' },
  { table: 'triage', text: 'reason' },
  { table: 'channel_mutes', text: 'reason' },
  { table: 'declarations', text: 'statement' },
  { table: 'evidence_packages', text: 'request' },
];

const BATCH = 500;
/** Entries of the audit log that are looked through in one step, which blocks everyone else whom this process serves. */
const STEP = 2000;

type Condition = RawBuilder<unknown>;

/**
 * findCopies looks through the audit log for entries that may hold a copy of somebody's name or address, while others write: the log has
 * millions of entries, and the transaction that rewrites some of them keeps every other writer of a SQLite file out. Null on PostgreSQL,
 * where nobody waits for it, and where an entry may commit behind one with a higher number.
 */
export async function findCopies(
  { engine, read }: Pick<Store, 'engine' | 'read'>,
  account: Account,
): Promise<FoundCopies | null> {
  if (engine === 'postgres') return null;
  const { id, name, email } = account;
  const names = [email, name].filter((one) => one !== null);
  const holds = sql.join(
    [
      sql`actor_id = ${id}`,
      ...(names.length === 0 ? [] : [sql`actor in (${sql.join(names)})`]),
      ...TEXTS.filter(({ table }) => table === 'audit').flatMap(({ text }) => mentions(text, account)),
    ],
    sql` or `,
  );
  const newest = await sql<{ id: number | null }>`select max(id) as id from audit`.execute(read);
  const upto = newest.rows[0]?.id ?? 0;
  const ids: number[] = [];
  for (let after = 0; after < upto; after += STEP) {
    const { rows } = await sql<Row<'audit', 'id'>>`
      select id from audit where id > ${after} and id <= ${Math.min(upto, after + STEP)} and (${holds})
    `.execute(read);
    ids.push(...rows.map((row) => row.id));
    await nextTurn();
  }
  return { of: { id, name, email }, upto, ids };
}

/** The rows of a table that are to be looked at, in parts; null is all. Entries of the audit log never change but by being anonymised. */
function scopesOf(table: string, account: Account, found: FoundCopies | null): readonly (Condition | null)[] {
  if (table !== 'audit' || found === null) return [null];
  const { of, upto, ids } = found;
  if (of.id !== account.id || of.name !== account.name || of.email !== account.email) return [null];
  const known: Condition[] = [];
  for (let from = 0; from < ids.length; from += BATCH)
    known.push(sql`id in (${sql.join(ids.slice(from, from + BATCH))})`);
  return [...known, sql`id > ${upto}`];
}

/**
 * anonymiseAccount blanks an account and rewrites every copy of its name and its address to `user:<account_id>`. Gives how many
 * cells were rewritten. `found` spares a look through the audit log, where it is of the account as it stands.
 */
export async function anonymiseAccount(
  transaction: Transaction<Tables>,
  account: Account,
  at: number,
  found: FoundCopies | null = null,
): Promise<number> {
  const person = personOf(account.id);
  let copies = 0;
  const others = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('id', '!=', account.id)
    .where('name', '=', account.name)
    .limit(1)
    .execute();
  // A copy without an owner may be the other's, if two people have one name.
  const names = [account.email, others.length === 0 ? account.name : null].filter((name) => name !== null);
  for (const { table, copy, owner } of NAME_COPIES) {
    const loose = names.length === 0 ? sql`1 = 0` : sql`${sql.ref(copy)} in (${sql.join(names)})`;
    const own =
      owner === null
        ? loose
        : sql`(${sql.ref(owner)} = ${account.id} or (${sql.ref(owner)} is null and ${loose}))`;
    for (const scope of scopesOf(table, account, found)) {
      const { numAffectedRows } = await sql`
        update ${sql.table(table)} set ${sql.ref(copy)} = ${person}
        where ${scope ?? sql`1 = 1`} and ${own} and ${sql.ref(copy)} <> ${person}
      `.execute(transaction);
      copies += Number(numAffectedRows ?? 0);
    }
  }
  for (const { table, text } of TEXTS)
    for (const scope of scopesOf(table, account, found))
      copies += await rewriteTexts(transaction, { table, text, scope }, account, person);
  await transaction
    .updateTable('accounts')
    .set({
      email: null,
      name: null,
      avatar: null,
      password_hash: null,
      oidc_subject: null,
      anonymised_at: at,
    })
    .where('id', '=', account.id)
    .execute();
  return copies;
}

async function rewriteTexts(
  transaction: Transaction<Tables>,
  { table, text, scope }: { readonly table: string; readonly text: string; readonly scope: Condition | null },
  who: Person,
  person: string,
): Promise<number> {
  const column = sql.ref(text);
  const maybe = mentions(text, who);
  if (maybe.length === 0) return 0;
  const holds = sql.join(maybe, sql` or `);
  let rewritten = 0;
  for (let after = 0; ;) {
    const { rows } = await sql<{ id: number; text: string }>`
      select id, ${column} as text from ${sql.table(table)}
      where id > ${after} and ${scope ?? sql`1 = 1`} and (${holds}) order by id limit ${BATCH}
    `.execute(transaction);
    for (const { id, text: before } of rows) {
      const value = rewrite(before, who, person);
      if (value === before) continue;
      await sql`update ${sql.table(table)} set ${column} = ${value} where id = ${id}`.execute(transaction);
      rewritten += 1;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return rewritten;
    after = last.id;
  }
}

/** Conditions of which one holds wherever a text may mention a person. */
function mentions(text: string, { name, email }: Person): Condition[] {
  const column = sql.ref(text);
  return [
    ...(name === null ? [] : patterns(name).map((pattern) => sql`${column} like ${pattern} escape '!'`)),
    // An address may be written in any case; letters beyond ASCII are left to the exact check, as SQLite folds none of them.
    ...(email === null
      ? []
      : patterns(email).map((pattern) => sql`lower(${column}) like ${folded(pattern)} escape '!'`)),
  ];
}

/** The text as it stands, and as it stands inside of JSON. */
function patterns(part: string): string[] {
  const escaped = JSON.stringify(part).slice(1, -1);
  return [...new Set([part, escaped])].map((text) => `%${text.replaceAll(/[!%_]/g, '!$&')}%`);
}

function folded(pattern: string): string {
  return pattern.toLowerCase().replaceAll(/[^ -~]+/g, '%');
}

/** Details are JSON; those of the first releases are plain texts. */
function rewrite(text: string, who: Person, person: string): string {
  if (text.startsWith('{')) {
    try {
      return JSON.stringify(withoutPersonIn(JSON.parse(text), who, person));
    } catch {
      // a text that only begins like JSON
    }
  }
  return withoutPerson(text, who, person);
}
