import type { AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { DAY_MS, IpoError, parseTime, type Clock } from '../../base/index.ts';
import {
  summariseHistory,
  type HistoryQuestion,
  type Markers,
  type Previews,
  type TrackingHistory,
  type TrackingRow,
} from '../../trackers/index.ts';
import { listOf } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  planSchema,
  previewPath,
  previewQuery,
  previewSchema,
  summaryQuery,
  summarySchema,
  trackingPath,
  trackingQuery,
  trackingSchema,
} from '../contract/tracking.ts';
import { route, type Answered, type Route } from '../route.ts';
import { toPlan, toPreview, toSummary, toTracking } from '../tracking-bodies.ts';

/** TrackingParts are what the routes of the tracking history act through. */
export interface TrackingParts {
  readonly history: TrackingHistory;
  readonly previews: Previews;
  /** Null where `DATA_KEY` is not set, so that no issue can be opened. */
  readonly markers: Pick<Markers, 'issue'> | null;
  /** The declared window of critical findings, and whether an enabled channel of a tracker is there. */
  terms(): Promise<Pick<HistoryQuestion, 'window' | 'connected'>>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

const CONFLICT: Answered = {
  description: 'The row does not stand so that this could be done',
  schema: problemSchema,
  type: 'application/problem+json',
};

type Call = {
  readonly principal: Principal | null;
  readonly path: string;
  readonly params: { readonly id: number };
};

/** trackingRoutes read the tracking history, take what people decide about it, and tell what a channel would file. */
export function trackingRoutes(parts: TrackingParts): Route[] {
  return [...historyRoutes(parts), ...decisionRoutes(parts), ...previewRoutes(parts)];
}

function historyRoutes({ history, terms, clock }: TrackingParts): Route[] {
  return [
    route({
      key: 'GET /tracking',
      id: 'listTracking',
      tag: 'tracking',
      summary: 'List the tracking history, newest first',
      description:
        'One row per image digest and CVE, and per runtime alert of a rule on an image; `channel`, `digest`, `cve` and `rule` are compared exactly.',
      query: trackingQuery,
      answers: { 200: { description: 'The rows', schema: listOf(trackingSchema) } },
      work: 'read',
      handle: async ({ query: { limit, offset, channel, ...filter } }) => {
        const page = { limit: limit ?? null, offset: offset ?? 0 };
        const { items, total } = await history.list({ ...filter, channelId: channel }, page);
        return { body: { items: items.map(toTracking), total } };
      },
    }),
    route({
      key: 'GET /tracking/summary',
      id: 'summariseTracking',
      tag: 'tracking',
      summary: 'Count what came of the findings that were raised in a period',
      description:
        'With the state of the remediation windows. The declared window is the shortest `sla.critical` of the policies in effect.',
      query: summaryQuery,
      answers: { 200: { description: 'The counts', schema: summarySchema } },
      work: 'read',
      handle: async ({ query }) => {
        const asOf = clock.now();
        const to = timeOf(query.to, asOf);
        const from = timeOf(query.from, to - SUMMARY_DAYS * DAY_MS);
        if (from > to) throw new IpoError('invalid_request', 'from lies after to');
        const { items } = await history.list(
          { kind: 'finding', openedFrom: from, openedTo: to },
          { limit: null, offset: 0 },
        );
        const question = { from, to, asOf, ...(await terms()) };
        return { body: toSummary(summariseHistory(items, question), question) };
      },
    }),
    route({
      key: 'GET /tracking/{id}',
      id: 'showTracking',
      tag: 'tracking',
      summary: 'Show a row of the tracking history',
      params: trackingPath,
      answers: { 200: { description: 'The row', schema: trackingSchema } },
      handle: async ({ params: { id } }) => {
        const row = await history.get(id);
        if (row === null) throw noRow(id);
        return { body: toTracking(row) };
      },
    }),
  ];
}

function decisionRoutes(parts: TrackingParts): Route[] {
  const { history, markers, clock } = parts;
  return [
    route({
      key: 'POST /tracking/{id}/reopen',
      id: 'reopenTracking',
      tag: 'tracking',
      summary: 'File a finding again that came back after its row was closed',
      description: 'The row is opened again, and an issue of its own is opened for it, under the cap.',
      params: trackingPath,
      answers: { 200: { description: 'The row is open again', schema: trackingSchema }, 409: CONFLICT },
      handle: async (call) => {
        const { id } = call.params;
        if (markers === null)
          throw new IpoError('key_missing', 'no issue can be opened: DATA_KEY is not set');
        const row = await decide(parts, call, 'tracking_reopen', async () =>
          checked(id, await history.reopen(id, clock.now(), (...of) => markers.issue(...of))),
        );
        return { body: toTracking(row) };
      },
    }),
    route({
      key: 'POST /tracking/{id}/confirm',
      id: 'confirmTracking',
      tag: 'tracking',
      summary: 'Confirm that a finding is fixed which the newest scan no longer reports',
      description:
        'For a row whose `withheld` says that the scan is not enough by itself. The next sweep closes it as `fixed`.',
      params: trackingPath,
      answers: {
        200: { description: 'It is closed by the next sweep', schema: trackingSchema },
        409: CONFLICT,
      },
      handle: async (call) => {
        const { id } = call.params;
        const row = await decide(parts, call, 'tracking_confirm', async (by) =>
          checked(id, await history.confirm(id, by, clock.now())),
        );
        return { body: toTracking(row) };
      },
    }),
  ];
}

function previewRoutes({ previews }: TrackingParts): Route[] {
  return [
    route({
      key: 'GET /channels/{id}/preview',
      id: 'previewChannel',
      tag: 'channels',
      summary: 'Show the issue that a tracker channel would open',
      description: 'Of a finding, or the next one. Nothing is written, and no tracker is called.',
      params: previewPath,
      query: previewQuery,
      answers: { 200: { description: 'The issue', schema: previewSchema } },
      work: 'read',
      handle: async ({ params, query: { digest, cve } }) => {
        const finding = digest === undefined || cve === undefined ? null : { digest, cve };
        const preview = await previews.issue(params.id, finding);
        if (preview === 'unknown')
          throw new IpoError('not_found', `the newest scan of ${digest ?? ''} does not report ${cve ?? ''}`, {
            hint: 'GET /api/v1/images/{digest} lists the findings of an image',
          });
        return { body: toPreview(ofTracker(params.id, preview)) };
      },
    }),
    route({
      key: 'GET /channels/{id}/plan',
      id: 'planChannel',
      tag: 'channels',
      summary:
        'Tell how many issues a tracker channel would open, and for how long its cap holds the rest back',
      params: previewPath,
      answers: { 200: { description: 'The plan', schema: planSchema } },
      work: 'read',
      handle: async ({ params }) => ({ body: toPlan(ofTracker(params.id, await previews.plan(params.id))) }),
    }),
  ];
}

function decide(
  { audit, together }: TrackingParts,
  call: Call,
  action: AuditAction,
  act: (by: string) => Promise<TrackingRow>,
): Promise<TrackingRow> {
  return together(async () => {
    const { accountId, name } = call.principal as Principal;
    const row = await act(`user:${accountId}`);
    const { id, digest, cve, generation } = row;
    const detail = { id, cve, generation };
    await audit.record({ actor: { accountId, name }, action, target: digest, path: call.path, detail });
    return row;
  });
}

const SUMMARY_DAYS = 90;

function timeOf(text: string | undefined, standard: number): number {
  return text === undefined ? standard : Math.trunc(parseTime(text));
}

function ofTracker<T>(id: string, found: T | 'missing' | 'not_tracker'): T {
  if (found === 'missing')
    throw new IpoError('not_found', `no channel has the ID ${id}`, {
      hint: 'GET /api/v1/channels lists all channels',
    });
  if (found === 'not_tracker')
    throw new IpoError('invalid_request', `the channel ${id} opens no issues`, {
      hint: 'Only a channel of github, gitlab or jira does, and only if its settings are valid',
    });
  return found;
}

type Outcome = TrackingRow | 'missing' | 'not_returned' | 'no_channel' | 'not_withheld';

function checked(id: number, outcome: Outcome): TrackingRow {
  switch (outcome) {
    case 'missing':
      throw noRow(id);
    case 'not_returned':
      throw new IpoError('conflict', `the finding of row ${id} has not come back`, {
        hint: 'GET /api/v1/tracking?returned=true lists those that have',
      });
    case 'no_channel':
      throw new IpoError(
        'conflict',
        `the channel of row ${id} was deleted, so nothing would file the finding`,
        {
          hint: 'Let another channel adopt the rows of the deleted one',
        },
      );
    case 'not_withheld':
      throw new IpoError('conflict', `row ${id} does not wait for a confirmation`, {
        hint: 'Only an open row whose CVE the newest scan no longer reports can be confirmed',
      });
    default:
      return outcome;
  }
}

function noRow(id: number): IpoError {
  return new IpoError('not_found', `no row has the number ${id} in the tracking history`);
}
