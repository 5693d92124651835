import type { AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime, parseTime, type Clock } from '../../base/index.ts';
import type { Triage, TriageEntry } from '../../inventory/index.ts';
import { listOf } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import { newTriageSchema, triagePath, triageQuery, triageSchema } from '../contract/triage.ts';
import { toTriage } from '../image-bodies.ts';
import { route, type Route } from '../route.ts';

/** TriageParts are what the routes of triage act through. */
export interface TriageParts {
  readonly triage: Triage;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

type Call = { readonly principal: Principal | null; readonly path: string };

/** triageRoutes list, make and end triage decisions. A decision, the facts that follow and its audit entry are durable together. */
export function triageRoutes(parts: TriageParts): Route[] {
  const { triage, clock } = parts;
  const act = recorded(parts);
  return [
    route({
      key: 'GET /triage',
      id: 'listTriage',
      tag: 'triage',
      summary: 'List triage decisions, newest first',
      query: triageQuery,
      answers: { 200: { description: 'The decisions', schema: listOf(triageSchema) } },
      work: 'read',
      handle: async ({ query: { digest, cve, state, limit, offset } }) => {
        const { items, total } = await triage.list({
          digest: digest ?? null,
          cve: cve ?? null,
          state: state ?? null,
          limit: limit ?? null,
          offset: offset ?? 0,
        });
        return { body: { items: items.map((entry) => toTriage(entry, clock.now())), total } };
      },
    }),
    route({
      key: 'POST /triage',
      id: 'createTriage',
      tag: 'triage',
      summary:
        'Decide that a CVE does not count on an image until a time, or that the image holds nothing to scan',
      body: newTriageSchema,
      answers: {
        201: { description: 'The decision is active', schema: triageSchema },
        404: {
          description: 'The image is not known',
          schema: problemSchema,
          type: 'application/problem+json',
        },
      },
      handle: async (call) => {
        const { digest, cve = null, reason, until } = call.body;
        const decision = { digest, cve, reason, until: until === undefined ? null : parseTime(until) };
        const entry = await act(call, 'triage_create', ({ accountId, name }) =>
          triage.create(decision, { accountId, name }),
        );
        return { status: 201, body: toTriage(entry, clock.now()) };
      },
    }),
    route({
      key: 'DELETE /triage/{id}',
      id: 'endTriage',
      tag: 'triage',
      summary: 'Take a triage decision back before it ends',
      params: triagePath,
      answers: {
        200: { description: 'The decision as it was ended', schema: triageSchema },
        409: {
          description: 'The decision is over already',
          schema: problemSchema,
          type: 'application/problem+json',
        },
      },
      handle: async (call) => {
        const entry = await act(call, 'triage_end', () => triage.end(call.params.id));
        return { body: toTriage(entry, clock.now()) };
      },
    }),
  ];
}

/** A decision and its entry in the audit log are one transaction. */
function recorded({ audit, together }: TriageParts) {
  return (
    call: Call,
    action: AuditAction,
    decide: (by: Principal) => Promise<TriageEntry>,
  ): Promise<TriageEntry> =>
    together(async () => {
      const by = call.principal as Principal;
      const entry = await decide(by);
      const { id, digest, cve, until } = entry;
      await audit.record({
        actor: { accountId: by.accountId, name: by.name },
        action,
        target: digest,
        path: call.path,
        detail: { id, cve, until: formatTime(until) },
      });
      return entry;
    });
}
