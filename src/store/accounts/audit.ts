import { sql, type Selectable } from 'kysely';
import type { AuditFilter, AuditLog, AuditReader, AuditRecord } from '../../accounts/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';

/** Characters that are kept of what others may write as long as they like. */
const MAX_TEXT = 2000;
const MAX_DETAIL = 64 * 1024;
const PAGE = 1000;

/** auditLog keeps the audit log in a database; an entry joins the transaction of the act that it records. */
export function auditLog(store: Store, clock: Clock): AuditLog & AuditReader {
  return {
    record: ({ actor, action, target, path, detail }) =>
      store.write(async (transaction) => {
        await transaction
          .insertInto('audit')
          .values({
            at: clock.now(),
            actor_id: actor?.accountId ?? null,
            actor: cut(actor?.name ?? ''),
            action,
            target: target === null ? null : cut(target),
            path: path === null ? null : cut(path),
            detail: detail === undefined ? null : toDetail(detail),
          })
          .execute();
      }),
    async list(filter, { limit, offset }) {
      const wanted = matching(store, filter);
      const { total } = await wanted
        .select((of) => of.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await wanted
        .selectAll()
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute();
      return { items: rows.map(toRecord), total: total };
    },
    async *pages(filter) {
      for (let last: { at: number; id: number } | null = null; ;) {
        let wanted = matching(store, filter)
          .selectAll()
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(PAGE);
        if (last !== null) {
          const { at, id }: { at: number; id: number } = last;
          wanted = wanted.where('at', '<=', at).where(sql<boolean>`(at < ${at} or id < ${id})`);
        }
        const rows = await wanted.execute();
        yield rows.map(toRecord);
        const end = rows.at(-1);
        if (end === undefined || rows.length < PAGE) return;
        last = { at: end.at, id: end.id };
      }
    },
  };
}

function matching(store: Store, { from, to, action, actor, target }: AuditFilter) {
  // An asked time may be finer than a millisecond, which a column of integers on PostgreSQL refuses.
  let rows = store.read
    .selectFrom('audit')
    .where('at', '>=', Math.ceil(from))
    .where('at', '<=', Math.floor(to));
  if (action !== null) rows = rows.where('action', '=', action);
  if (actor !== null) rows = rows.where((of) => of.or([of('actor_id', '=', actor), of('actor', '=', actor)]));
  if (target !== null) rows = rows.where('target', '=', target);
  return rows;
}

function toRecord(row: Selectable<Tables['audit']>): AuditRecord {
  return {
    id: row.id,
    at: row.at,
    actorId: row.actor_id,
    actor: row.actor === '' ? null : row.actor,
    action: row.action,
    target: row.target,
    path: row.path,
    detail: row.detail === null ? null : readDetail(row.detail),
  };
}

/** Details of the first releases are plain texts. */
function readDetail(text: string): Readonly<Record<string, unknown>> {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as Readonly<Record<string, unknown>>;
    } catch {
      // a text that only begins like JSON
    }
  }
  return { text };
}

function toDetail(detail: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(detail);
  return text.length <= MAX_DETAIL ? text : JSON.stringify({ too_long: text.length });
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
