import type { AccountNames, Principal } from '../../accounts/index.ts';
import { DAY_MS, formatTime } from '../../base/index.ts';
import { MAX_POLICY_BYTES } from '../../policy/index.ts';
import { KEPT, type KeptRuns, type KeptRunSummary, type LiveWhatIf } from '../../whatif/index.ts';
import { listOf } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  downloadQuery,
  runPath,
  runSchema,
  runsQuery,
  runSummarySchema,
  whatIfBody,
  type RunSummaryBody,
} from '../contract/whatif.ts';
import { whatIfResultSchema } from '../contract/whatif-result.ts';
import { route, type Route } from '../route.ts';

/** WhatIfParts are what the routes of the what-if act through. */
export interface WhatIfParts {
  readonly whatif: LiveWhatIf;
  readonly runs: KeptRuns;
  readonly names: AccountNames;
}

const WAIT = { 'Retry-After': 'Seconds to wait' };

/** whatIfRoutes replay drafts over the service's ledger, and give back the runs that were kept. */
export function whatIfRoutes(parts: WhatIfParts): Route[] {
  return [replayRoute(parts.whatif), ...runRoutes(parts)];
}

function replayRoute(whatif: LiveWhatIf): Route {
  return route({
    key: 'POST /policies/whatif',
    id: 'runWhatIf',
    tag: 'whatif',
    summary: 'Replay a draft over the ledger',
    description:
      'Decides the recorded admissions of the last days again under a draft, as it stands now, and answers what would have ' +
      'changed. Nothing is saved but, for deployers and administrators, the run itself. Each replay is in the audit log.',
    body: whatIfBody,
    maxBody: MAX_POLICY_BYTES * 2,
    answers: {
      200: { description: 'What the draft would have changed', schema: whatIfResultSchema },
      429: {
        description:
          'More than 10 what-ifs were started by this account within a minute, or two of them are waiting or running',
        schema: problemSchema,
        type: 'application/problem+json',
        headers: WAIT,
      },
      503: {
        description: 'Too many what-ifs are waiting, or this one took too long, waiting included',
        schema: problemSchema,
        type: 'application/problem+json',
        headers: WAIT,
      },
    },
    handle: async ({ body, principal, path, signal }) => {
      const { as_of: asOf, ...asked } = body;
      return {
        json: await whatif.run({ ...asked, asOf }, { principal: principal as Principal, path, signal }),
      };
    },
  });
}

function runRoutes({ runs, names }: WhatIfParts): Route[] {
  return [
    route({
      key: 'GET /policies/whatif/runs',
      id: 'listWhatIfRuns',
      tag: 'whatif',
      summary: 'List the kept runs, newest first',
      description: `Runs are kept for ${KEPT.days} days, the newest ${KEPT.most} of them.`,
      query: runsQuery,
      answers: { 200: { description: 'The runs', schema: listOf(runSummarySchema) } },
      work: 'read',
      handle: async ({ query: { policy = null, from = null, to = null, limit = null, offset = 0 } }) => {
        const { items, total } = await runs.list({ policy, from, to }, { limit, offset });
        const shown = await names(items.map(({ accountId }) => accountId));
        return { body: { items: items.map((run) => toBody(run, shown)), total } };
      },
    }),
    route({
      key: 'GET /policies/whatif/runs/{id}',
      id: 'showWhatIfRun',
      tag: 'whatif',
      summary: 'Reopen a kept run: the draft, and the answer byte for byte as it was given',
      params: runPath,
      answers: { 200: { description: 'The run', schema: runSchema } },
      work: 'read',
      handle: async ({ params }) => {
        const run = await runs.get(params.id);
        const record = JSON.stringify(toBody(run, await names([run.accountId])));
        const draft = JSON.stringify(run.draft);
        return { json: `${record.slice(0, -1)},"draft":${draft},"result":${run.result}}` };
      },
    }),
    route({
      key: 'GET /policies/whatif/runs/{id}/download',
      id: 'downloadWhatIfRun',
      tag: 'whatif',
      summary: 'Download a kept run as PDF, or its answer as JSON',
      description: 'Each download is in the audit log.',
      params: runPath,
      query: downloadQuery,
      answers: {
        200: {
          description: 'The file',
          type: 'application/pdf',
          otherTypes: ['application/json'],
          headers: { 'Content-Disposition': 'Name of the file' },
        },
      },
      handle: async ({ params, query, principal, path, signal }) => {
        const call = { principal: principal as Principal, path, signal };
        const { name, type, bytes } = await runs.download(params.id, query.format ?? 'pdf', call);
        return { body: bytes, type, headers: { 'content-disposition': `attachment; filename="${name}"` } };
      },
    }),
  ];
}

function toBody(run: KeptRunSummary, names: ReadonlyMap<string, string>): RunSummaryBody {
  return {
    id: run.id,
    at: formatTime(run.at),
    by: `user:${run.accountId}`,
    by_name: names.get(run.accountId) ?? null,
    policy: run.policy,
    revision: run.revision,
    source: run.source,
    days: run.days,
    from: formatTime(run.period.from),
    as_of: formatTime(run.period.to),
    evaluated: run.evaluated,
    would_deny: run.wouldDeny,
    would_allow: run.wouldAllow,
    kept_until: formatTime(run.at + KEPT.days * DAY_MS),
  };
}
