import { sql, type Transaction } from 'kysely';
import { personOf, withoutPerson, withoutPersonIn, type Account, type Person } from '../accounts/index.ts';
import type { Tables } from './tables.ts';

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
  { table: 'tracking', copy: 'confirmed_by', owner: null },
];

/** TEXTS are free texts in which a name may stand. */
const TEXTS: readonly { readonly table: string; readonly text: string }[] = [
  { table: 'audit', text: 'target' },
  { table: 'audit', text: 'detail' },
  { table: 'triage', text: 'reason' },
];

const BATCH = 500;

/**
 * anonymiseAccount blanks an account and rewrites every copy of its name and its address to `user:<account_id>`. Gives how many
 * cells were rewritten.
 */
export async function anonymiseAccount(
  transaction: Transaction<Tables>,
  account: Account,
  at: number,
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
    const { numAffectedRows } = await sql`
      update ${sql.table(table)} set ${sql.ref(copy)} = ${person} where ${own} and ${sql.ref(copy)} <> ${person}
    `.execute(transaction);
    copies += Number(numAffectedRows ?? 0);
  }
  for (const { table, text } of TEXTS)
    copies += await rewriteTexts(transaction, table, text, account, person);
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
  table: string,
  text: string,
  who: Person,
  person: string,
): Promise<number> {
  const column = sql.ref(text);
  const { name, email } = who;
  const maybe = [
    ...(name === null ? [] : patterns(name).map((pattern) => sql`${column} like ${pattern} escape '!'`)),
    // An address may be written in any case; letters beyond ASCII are left to the exact check, as SQLite folds none of them.
    ...(email === null
      ? []
      : patterns(email).map((pattern) => sql`lower(${column}) like ${folded(pattern)} escape '!'`)),
  ];
  if (maybe.length === 0) return 0;
  const holds = sql.join(maybe, sql` or `);
  let rewritten = 0;
  for (let after = 0; ;) {
    const { rows } = await sql<{ id: number; text: string }>`
      select id, ${column} as text from ${sql.table(table)} where id > ${after} and (${holds}) order by id limit ${BATCH}
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
