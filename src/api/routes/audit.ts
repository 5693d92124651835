import { Readable } from 'node:stream';
import {
  AUDIT_DAYS,
  auditCsv,
  type AuditFilter,
  type AuditReader,
  type AuditRecord,
} from '../../accounts/index.ts';
import { DAY_MS, formatTime, IpoError, type Clock } from '../../base/index.ts';
import {
  AUDIT_PAGE,
  auditCsvQuery,
  auditQuery,
  auditSchema,
  type AuditEntryBody,
} from '../contract/audit.ts';
import { route, type Route } from '../route.ts';

/** AuditParts are what the routes of the audit log act through. */
export interface AuditParts {
  readonly audit: AuditReader;
  readonly clock: Clock;
}

/** auditRoutes read the audit log. */
export function auditRoutes({ audit, clock }: AuditParts): Route[] {
  return [
    route({
      key: 'GET /audit',
      id: 'listAudit',
      tag: 'audit',
      summary: 'List what people and pipelines did, newest first',
      description: `The last ${AUDIT_DAYS} days unless a period is given; always in pages.`,
      query: auditQuery,
      answers: { 200: { description: 'The entries', schema: auditSchema } },
      work: 'read',
      handle: async ({ query: { limit, offset, ...narrowed } }) => {
        const page = { limit: limit ?? AUDIT_PAGE, offset: offset ?? 0 };
        const { items, total } = await audit.list(filterOf(narrowed, clock.now()), page);
        return { body: { items: items.map(entryBody), total } };
      },
    }),
    route({
      key: 'GET /audit.csv',
      id: 'exportAudit',
      tag: 'audit',
      summary: 'Export the audit log as CSV, newest first',
      description:
        `The whole period, by default the last ${AUDIT_DAYS} days. Every cell is quoted, and one that a spreadsheet would take for a ` +
        "formula begins with `'`.",
      query: auditCsvQuery,
      answers: { 200: { description: 'The entries', type: 'text/csv; charset=utf-8' } },
      work: 'export',
      handle: ({ query }) => {
        const filter = filterOf(query, clock.now());
        const days = [filter.from, filter.to].map((ms) => formatTime(ms).slice(0, 10));
        return {
          stream: Readable.from(auditCsv(audit.pages(filter))),
          type: 'text/csv; charset=utf-8',
          headers: { 'content-disposition': `attachment; filename="audit-${days.join('-to-')}.csv"` },
        };
      },
    }),
  ];
}

type Narrowed = { readonly [K in keyof AuditFilter]?: AuditFilter[K] | undefined };

function filterOf({ from, to, action, actor, target }: Narrowed, now: number): AuditFilter {
  const end = to ?? now;
  const start = from ?? end - AUDIT_DAYS * DAY_MS;
  if (start > end) {
    const message = 'from is later than to';
    throw new IpoError('invalid_request', message, { fields: [{ path: 'from', message }] });
  }
  return {
    from: Math.ceil(start),
    to: Math.floor(end),
    action: action ?? null,
    actor: actor ?? null,
    target: target ?? null,
  };
}

function entryBody({ id, at, actorId, actor, action, target, path, detail }: AuditRecord): AuditEntryBody {
  return { id, time: formatTime(at), actor_id: actorId, actor, action, target, path, detail };
}
