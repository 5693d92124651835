import type { RouteKey } from '../../src/accounts/index.ts';
import { accountId, cveOf, digestOf, GONE, policyOf, runtimePolicyOf } from './route-cost-data.ts';
import {
  channel,
  channelDocument,
  hook,
  rule,
  ruleOf,
  closedRow,
  DRAFT,
  LONG,
  make,
  next,
  person,
  report,
  run,
  session,
  type CostCall,
  type CostStage,
} from './route-cost-made.ts';

type Make = (stage: CostStage, round: number) => CostCall | Promise<CostCall>;

const at =
  (path: string, more: CostCall = {}): Make =>
  () => ({ path, ...more });
const plain: Make = () => ({});
/** The channel that adopted the rows of the tracking history last. */
let adopter: string | null = null;

/** A period without rows, so that making the package costs next to nothing. */
const PERIOD = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };
const asked = async (stage: CostStage): Promise<string> =>
  (await make<{ id: string }>(stage, 'POST /evidence', PERIOD)).id;
const cancelled = async (stage: CostStage): Promise<string> => {
  const id = await asked(stage);
  await make(stage, `POST /evidence/${id}/cancel`);
  return id;
};

/** COST_CASES are calls of every route that cost most; a route without an entry does not compile. */
export const COST_CASES: Readonly<Record<RouteKey, Readonly<Record<string, Make>>>> = {
  'GET /openapi.json': { whole: plain },
  'POST /setup': {
    'once more': ({ password }) => ({
      body: { code: 'x', email: 'other@example.com', password },
      status: 409,
    }),
  },
  'POST /setup/check': { 'once set up': () => ({ body: { code: 'x' }, status: 409 }) },
  'POST /session': {
    'with a password': ({ password }) => ({ body: { email: 'viewer@example.com', password } }),
  },
  'POST /session/password': {
    'with a code': async (stage) => {
      const id = await person(stage);
      const { code } = await make<{ code: string }>(stage, `POST /accounts/${id}/password-code`);
      return { body: { code, password: `${stage.password} 2` } };
    },
  },
  'GET /session/oidc': { 'without a provider': at('/session/oidc', { status: 404 }) },
  'GET /session/oidc/callback': {
    'without a provider': at('/session/oidc/callback?code=a&state=b', { status: 404 }),
  },
  'GET /session': { own: plain },
  'DELETE /session': { own: async (stage) => ({ secret: await session(stage), status: 204 }) },
  'PUT /session/password': {
    own: async (stage) => {
      const id = await person(stage);
      const { email } = await make<{ email: string }>(stage, `GET /accounts/${id}`);
      const { token } = await make<{ token: string }>(stage, 'POST /session', {
        email,
        password: stage.password,
      });
      return { secret: token, body: { current: stage.password, password: `${stage.password} 2` } };
    },
  },
  'GET /tokens': { 'of everybody': at('/tokens?all=true') },
  'POST /tokens': { one: () => ({ body: { name: 'cost' }, status: 201 }) },
  'DELETE /tokens/{id}': {
    one: async (stage) => ({
      path: `/tokens/${(await make<{ id: string }>(stage, 'POST /tokens', { name: 'gone' })).id}`,
      status: 204,
    }),
  },
  'GET /accounts': { whole: plain },
  'POST /accounts': {
    one: ({ password }) => ({
      body: { email: `made-${next()}@example.com`, name: 'Somebody', password },
      status: 201,
    }),
  },
  'GET /accounts/{id}': { one: at(`/accounts/${accountId(1)}`) },
  'PATCH /accounts/{id}': {
    disabled: async (stage) => ({ path: `/accounts/${await person(stage)}`, body: { enabled: false } }),
  },
  'DELETE /accounts/{id}': {
    one: async (stage) => ({ path: `/accounts/${await person(stage)}`, status: 204 }),
  },
  'POST /accounts/{id}/password-code': {
    one: async (stage) => ({ path: `/accounts/${await person(stage)}/password-code`, status: 201 }),
  },
  'POST /accounts/{id}/anonymise': {
    'with a long audit log': (_, round) => ({ path: `/accounts/${accountId(10 + round)}/anonymise` }),
  },
  'GET /audit': { 'a page of 10,000': at('/audit?limit=10000') },
  'GET /audit.csv': { whole: plain },
  'GET /policies': { whole: plain },
  'POST /policies': {
    'a long one': (_, round) => ({ body: policyOf(next() + 1_000_000, 200 + round).document, status: 201 }),
  },
  'PUT /policies': {
    'a long one': (_, round) => ({ body: policyOf(10, 200 + round).document, match: '*' }),
  },
  'GET /policies/{name}': { 'a long one': at('/policies/policy-0') },
  'PUT /policies/{name}': {
    'a long one': (_, round) => ({
      ...{ path: '/policies/policy-11', body: policyOf(11, 200 + round).document, match: '*' },
    }),
  },
  'DELETE /policies/{name}': {
    one: (_, round) => ({ path: `/policies/policy-${20 + round}`, match: '*', status: 204 }),
  },
  'POST /runtime/whatif': {
    'a rule and a policy': () => ({
      body: {
        rules: [{ name: 'a', match: { fields: [{ name: 'proc.name', matches: 'a.*' }] }, action: 'notify' }],
        days: 90,
      },
    }),
  },
  'GET /runtime/policies': { whole: at('/runtime/policies') },
  'POST /runtime/policies': {
    'a long one': () => ({ body: runtimePolicyOf(next() + 1_000_000, 200), status: 201 }),
  },
  'GET /runtime/policies/{name}': { one: at('/runtime/policies/policy-0') },
  'PUT /runtime/policies/{name}': {
    'a long one': (_, round) => ({
      ...{ path: '/runtime/policies/policy-11', body: runtimePolicyOf(11, 150 + (round % 50)), match: '*' },
    }),
  },
  'DELETE /runtime/policies/{name}': {
    one: (_, round) => ({ path: `/runtime/policies/policy-${20 + round}`, match: '*', status: 204 }),
  },
  'GET /policies/{name}/revisions': { whole: at('/policies/policy-0/revisions') },
  'GET /policies/{name}/revisions/{revision}': {
    'a long one': async (stage) => {
      const { items } = await make<{ items: readonly { revision: string }[] }>(
        stage,
        'GET /policies/policy-0/revisions',
      );
      return { path: `/policies/policy-0/revisions/${items[0]?.revision}` };
    },
  },
  'POST /policies/whatif': {
    'over many rows': () => ({ body: { policy: DRAFT, limit: 1_000, keep: true } }),
    'a long draft': () => ({ body: { policy: LONG, limit: 1000 } }),
  },
  'GET /policies/whatif/runs': { whole: async (stage) => ((await run(stage)) === '' ? {} : {}) },
  'GET /policies/whatif/runs/{id}': {
    one: async (stage) => ({ path: `/policies/whatif/runs/${await run(stage)}` }),
  },
  'GET /policies/whatif/runs/{id}/download': {
    'as JSON': async (stage) => ({ path: `/policies/whatif/runs/${await run(stage)}/download?format=json` }),
    'as PDF': async (stage) => ({ path: `/policies/whatif/runs/${await run(stage)}/download` }),
  },
  'GET /images': {
    whole: plain,
    'a page of 500': at('/images?limit=500'),
    'after a policy was changed': async (stage, round) => {
      await make(stage, 'PUT /policies/policy-12', policyOf(12, 20 + round).document, { 'if-match': '*' });
      return { path: '/images?limit=50' };
    },
  },
  'GET /images/{digest}': { one: at(`/images/${digestOf(3)}`) },
  'GET /images/{digest}/facts': { one: at(`/images/${digestOf(3)}/facts`) },
  'POST /images/scan': {
    'of 500': ({ sizes }, round) => ({
      body: {
        digests: Array.from({ length: Math.min(500, sizes.images) }, (_, n) =>
          digestOf((n + round * 500) % sizes.images),
        ),
      },
    }),
  },
  'POST /scans': {
    '1 MB': (_, round) => ({ path: '/scans', body: report(round, 30) }),
    '60 MB': ({ sizes }, round) => ({
      path: '/scans',
      body: report(round, sizes.images > 1_000 ? 1_900 : 200),
    }),
  },
  'GET /vulnerabilities': { whole: plain, 'a page of 500': at('/vulnerabilities?limit=500') },
  'GET /triage': { whole: plain },
  'POST /triage': {
    one: (_, round) => ({
      body: { digest: digestOf(100), cve: cveOf(100, round), reason: 'not reachable' },
      status: 201,
    }),
  },
  'DELETE /triage/{id}': {
    one: async (stage, round) => {
      const body = { digest: digestOf(101), cve: cveOf(101, round), reason: 'not reachable' };
      return { path: `/triage/${(await make<{ id: number }>(stage, 'POST /triage', body)).id}` };
    },
  },
  'GET /ledger': { whole: plain },
  'GET /ledger/rows': {
    'newest 10,000': at('/ledger/rows?limit=10000'),
    'of 30 days': at('/ledger/rows?days=30&limit=10000'),
    'by a filter': at('/ledger/rows?namespace=team-3&limit=1000'),
  },
  'GET /ledger/rows/{id}': { one: ({ sizes }) => ({ path: `/ledger/rows/${sizes.rows >> 1}` }) },
  'GET /ledger/rows/{id}/proof': { one: ({ sizes }) => ({ path: `/ledger/rows/${sizes.rows >> 1}/proof` }) },
  'GET /ledger/export': { whole: plain, zipped: at('/ledger/export?format=gz') },
  'GET /ledger/checkpoint': { newest: plain },
  'GET /ledger/checkpoints': { whole: plain },
  'GET /ledger/consistency': { 'from one row': at('/ledger/consistency?from=1') },
  'GET /channels': { whole: async (stage) => ((await channel(stage)) === '' ? {} : {}) },
  'POST /channels': { one: () => ({ body: channelDocument(next()), status: 201 }) },
  'GET /channels/{id}': { one: async (stage) => ({ path: `/channels/${await channel(stage)}` }) },
  'PUT /channels/{id}': {
    one: async (stage) => ({
      path: `/channels/${await channel(stage)}`,
      body: channelDocument(next()),
      match: '*',
    }),
  },
  'DELETE /channels/{id}': {
    one: async (stage) => ({ path: `/channels/${await channel(stage)}`, match: '*', status: 204 }),
  },
  'POST /channels/{id}/adopt': {
    'a long history': async (stage, round) => {
      const id = await channel(stage);
      const from = round === 0 ? GONE : (adopter ?? GONE);
      if (adopter !== null) await make(stage, `DELETE /channels/${adopter}`, undefined, { 'if-match': '*' });
      adopter = id;
      return { path: `/channels/${id}/adopt`, body: { channel: from } };
    },
  },
  'POST /channels/{id}/test': { one: async (stage) => ({ path: `/channels/${await channel(stage)}/test` }) },
  'GET /channels/{id}/deliveries': {
    none: async (stage) => ({ path: `/channels/${await hook(stage)}/deliveries` }),
  },
  'POST /channels/{id}/resend': {
    none: async (stage) => ({
      path: `/channels/${await hook(stage)}/resend`,
      body: { since: '2026-11-20T06:00:00Z' },
    }),
  },
  'POST /channels/{id}/resume': {
    one: async (stage) => ({ path: `/channels/${await hook(stage)}/resume` }),
  },
  'PUT /channels/{id}/mute': {
    one: async (stage) => ({
      path: `/channels/${await hook(stage)}/mute`,
      body: { for: '6h', reason: 'a move' },
    }),
  },
  'DELETE /channels/{id}/mute': {
    one: async (stage) => ({ path: `/channels/${await hook(stage)}/mute`, status: 204 }),
  },
  'GET /channels/{id}/preview': {
    next: async (stage) => ({ path: `/channels/${await channel(stage)}/preview` }),
  },
  'GET /channels/{id}/plan': { one: async (stage) => ({ path: `/channels/${await channel(stage)}/plan` }) },
  'GET /tracking': { whole: plain },
  'GET /tracking/summary': { 'of 90 days': plain },
  'GET /tracking/{id}': { one: async (stage) => ({ path: `/tracking/${await closedRow(stage)}` }) },
  'POST /tracking/{id}/reopen': {
    'one that has not come back': async (stage) => ({
      path: `/tracking/${await closedRow(stage)}/reopen`,
      status: 409,
    }),
  },
  'POST /tracking/{id}/confirm': {
    'one that is closed': async (stage) => ({
      path: `/tracking/${await closedRow(stage)}/confirm`,
      status: 409,
    }),
  },
  'GET /integrations/detector': { whole: plain },
  'GET /integrations/detector/bundle': { 'where it is off': () => ({ status: 409 }) },
  'GET /runtime/rules': { whole: plain },
  'POST /runtime/rules': { one: () => ({ body: ruleOf(next()), status: 201 }) },
  'PUT /runtime/rules': {
    'a list of 300': () => ({
      body: { rules: Array.from({ length: 300 }, (_, n) => ruleOf(1_000_000 + n)) },
      match: '*',
    }),
  },
  'GET /runtime/rules/{name}': { one: async (stage) => ({ path: `/runtime/rules/${await rule(stage)}` }) },
  'PUT /runtime/rules/{name}': {
    one: async (stage) => {
      const name = await rule(stage);
      return { path: `/runtime/rules/${name}`, body: { name, action: 'allow' }, match: '*' };
    },
  },
  'DELETE /runtime/rules/{name}': {
    one: async (stage) => ({ path: `/runtime/rules/${await rule(stage)}`, match: '*', status: 204 }),
  },
  'POST /runtime/rules/{name}/move': {
    'to the front': async (stage) => ({
      path: `/runtime/rules/${await rule(stage)}/move`,
      body: { place: 1 },
      match: '*',
    }),
  },
  'GET /runtime/events': {
    'a page of 1,000': plain,
    'by a filter': at('/runtime/events?image=shop&namespace=team-3&priority=Error'),
    'to follow': at('/runtime/events?after=10&limit=100'),
  },
  'GET /runtime/events/{id}': { one: at('/runtime/events/5') },
  'POST /catalogues/refresh': {
    'with other entries': ({ kev }, round) => {
      kev(round + 1);
      return {};
    },
  },
  'GET /system/health': { whole: plain },
  'GET /system/admission': { whole: plain },
  'GET /system/nodes': { whole: plain },
  'GET /system/licence': { whole: plain },
  'PUT /system/licence': { 'one that is none': () => ({ body: { certificate: 'x' }, status: 400 }) },
  'DELETE /system/licence': { 'one that is not there': () => ({ status: 404 }) },
  'POST /system/licence/request': { one: plain },
  'POST /system/licence/check': { 'without a licence service': () => ({ status: 409 }) },
  'GET /releases': { whole: plain },
  'GET /backups': { whole: plain },
  'GET /system/doctor': { whole: plain },
  'GET /config/export': { whole: plain },
  'POST /config/import': {
    'a dry run': () => ({ body: { documents: [LONG], dry_run: true } }),
  },
  'GET /evidence': { whole: plain },
  'POST /evidence': { one: () => ({ body: PERIOD, status: 202 }) },
  'GET /evidence/public-key': { whole: plain },
  'GET /evidence/{id}': { one: async (stage) => ({ path: `/evidence/${await asked(stage)}` }) },
  'GET /evidence/{id}/download': {
    'one that is not done': async (stage) => ({
      path: `/evidence/${await cancelled(stage)}/download`,
      status: 409,
    }),
  },
  'POST /evidence/{id}/cancel': {
    'one that waits': async (stage) => ({ path: `/evidence/${await asked(stage)}/cancel` }),
  },
  'DELETE /evidence/{id}': {
    one: async (stage) => ({ path: `/evidence/${await cancelled(stage)}`, status: 204 }),
  },
  'GET /declarations': { whole: plain },
  'POST /declarations': { one: () => ({ body: { statement: 'All clusters report.' }, status: 201 }) },
  'DELETE /declarations/{id}': {
    one: async (stage) => ({
      path: `/declarations/${(await make<{ id: string }>(stage, 'POST /declarations', { statement: 'Gone.' })).id}`,
    }),
  },
  'GET /system/replicas': { whole: plain },
  'DELETE /system/replicas/{name}': {
    'one that is not there': at('/system/replicas/nobody', { status: 404 }),
  },
};
