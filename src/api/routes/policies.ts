import type { AccountNames, AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import {
  MAX_POLICY_BYTES,
  type Policies,
  type PolicyPage,
  type StoredPolicy,
  type Written,
} from '../../policy/index.ts';
import { listOf, pageSchema, type Page } from '../contract/paging.ts';
import {
  policyPath,
  policySchema,
  revisionPath,
  revisionSchema,
  revisionSummarySchema,
  storedPolicySchema,
  writtenPolicySchema,
  type StoredPolicyBody,
} from '../contract/policies.ts';
import { problemSchema } from '../contract/problem.ts';
import { openRecording } from '../recording.ts';
import { expectedOf, toETag } from '../if-match.ts';
import { route, type Answered, type Route, type RouteAnswer } from '../route.ts';

/** PolicyParts are what the routes of policies act through. */
export interface PolicyParts {
  readonly policies: Policies;
  readonly audit: AuditLog;
  readonly names: AccountNames;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const TAKEN: Answered = { ...PROBLEM, description: 'A policy of this name is there already' };
const CHANGED: Answered = { ...PROBLEM, description: 'The policy has been changed since it was read' };
const UNSURE: Answered = { ...PROBLEM, description: 'The call has no If-Match' };
const ETAG = { ETag: 'Version of the policy, for If-Match' };
const IF_MATCH = 'Needs `If-Match` with the ETag that GET gave, or `*` for whatever stands.';
/** A JSON body may be written with more blanks than the document itself. */
const MAX_BODY = MAX_POLICY_BYTES * 2;

/** policyRoutes read and write the policies in effect. A write and its audit entry are durable together before its answer. */
export function policyRoutes(parts: PolicyParts): Route[] {
  return [...allPoliciesRoutes(parts), ...onePolicyRoutes(parts), ...revisionRoutes(parts)];
}

function allPoliciesRoutes(parts: PolicyParts): Route[] {
  const { policies } = parts;
  return [
    route({
      key: 'GET /policies',
      id: 'listPolicies',
      tag: 'policies',
      summary: 'List the policies in effect, by name',
      query: pageSchema,
      answers: { 200: { description: 'The policies', schema: listOf(storedPolicySchema) } },
      handle: async ({ query }) => {
        const { items, total } = await policies.list(pageOf(query));
        return { body: { items: items.map(toBody), total } };
      },
    }),
    route({
      key: 'POST /policies',
      id: 'createPolicy',
      tag: 'policies',
      summary: 'Create a policy',
      body: policySchema,
      maxBody: MAX_BODY,
      answers: {
        201: {
          description: 'The policy is in effect',
          schema: writtenPolicySchema,
          headers: { ...ETAG, Location: 'Path of the policy' },
        },
        409: TAKEN,
      },
      handle: async (call) =>
        answerOf(await write(parts, call, 'policy_create', (by) => policies.create(call.body, by)), 201),
    }),
    route({
      key: 'PUT /policies',
      id: 'updateNamedPolicy',
      tag: 'policies',
      summary: 'Update the policy that the document names',
      description: IF_MATCH,
      body: policySchema,
      maxBody: MAX_BODY,
      answers: {
        200: { description: 'The policy in effect', schema: writtenPolicySchema, headers: ETAG },
        404: { ...PROBLEM, description: 'No policy has this name' },
        412: CHANGED,
        428: UNSURE,
      },
      handle: (call) => update(parts, call, null, call.body),
    }),
  ];
}

function onePolicyRoutes(parts: PolicyParts): Route[] {
  const { policies, together, audit } = parts;
  return [
    route({
      key: 'GET /policies/{name}',
      id: 'showPolicy',
      tag: 'policies',
      summary: 'Show a policy in effect',
      params: policyPath,
      answers: { 200: { description: 'The policy', schema: storedPolicySchema, headers: ETAG } },
      handle: async ({ params }) => {
        const policy = await policies.get(params.name);
        return { body: toBody(policy), headers: { etag: toETag(policy.version) } };
      },
    }),
    route({
      key: 'PUT /policies/{name}',
      id: 'updatePolicy',
      tag: 'policies',
      summary: 'Update a policy',
      description: `${IF_MATCH} A document of another name is refused.`,
      params: policyPath,
      body: policySchema,
      maxBody: MAX_BODY,
      answers: {
        200: { description: 'The policy in effect', schema: writtenPolicySchema, headers: ETAG },
        412: CHANGED,
        428: UNSURE,
      },
      handle: (call) => update(parts, call, call.params.name, call.body),
    }),
    route({
      key: 'DELETE /policies/{name}',
      id: 'deletePolicy',
      tag: 'policies',
      summary: 'Take a policy out of force',
      description: `${IF_MATCH} Its revisions stay.`,
      params: policyPath,
      answers: { 204: { description: 'The policy is out of force' }, 412: CHANGED, 428: UNSURE },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        const { name, version } = await together(async () => {
          const removed = await policies.remove(call.params.name, expected);
          await openRecording(audit)(call, 'policy_delete', removed.name, {
            revision_before: removed.revision,
          });
          return removed;
        });
        return { status: 204, written: { name, gone: version } };
      },
    }),
  ];
}

function revisionRoutes({ policies, names: namesOf }: PolicyParts): Route[] {
  return [
    route({
      key: 'GET /policies/{name}/revisions',
      id: 'listPolicyRevisions',
      tag: 'policies',
      summary: 'List the revisions that a policy has had, newest first',
      description: 'Also of a policy that was deleted: ledger rows name revisions.',
      params: policyPath,
      query: pageSchema,
      answers: { 200: { description: 'The revisions', schema: listOf(revisionSummarySchema) } },
      handle: async ({ params, query }) => {
        const { items, total } = await policies.revisions(params.name, pageOf(query));
        const current = await policies.current(params.name);
        const names = await namesOf(items.flatMap(({ recordedBy }) => idOf(recordedBy)));
        return {
          body: {
            items: items.map(({ revision, recordedAt, recordedBy }) => ({
              revision,
              recorded_at: formatTime(recordedAt),
              recorded_by: recordedBy,
              recorded_by_name: nameIn(names, recordedBy),
              current: revision === current,
            })),
            total,
          },
        };
      },
    }),
    route({
      key: 'GET /policies/{name}/revisions/{revision}',
      id: 'showPolicyRevision',
      tag: 'policies',
      summary: 'Show a revision with its document',
      params: revisionPath,
      answers: { 200: { description: 'The revision', schema: revisionSchema } },
      handle: async ({ params }) => {
        const { name, revision, document, recordedAt, recordedBy } = await policies.revision(
          params.name,
          params.revision,
        );
        const current = (await policies.current(name)) === revision;
        return {
          body: {
            name,
            revision,
            recorded_at: formatTime(recordedAt),
            recorded_by: recordedBy,
            recorded_by_name: nameIn(await namesOf(idOf(recordedBy)), recordedBy),
            current,
            document,
          },
        };
      },
    }),
  ];
}

function write(
  { audit, together }: PolicyParts,
  call: Call,
  action: AuditAction,
  act: (by: string) => Promise<Written>,
): Promise<Written> {
  const record = openRecording(audit);
  return together(async () => {
    const principal = call.principal as Principal;
    const written = await act(`user:${principal.accountId}`);
    const { policy, before, changed } = written;
    if (changed)
      await record(call, action, policy.name, { revision: policy.revision, revision_before: before });
    return written;
  });
}

async function update(
  parts: PolicyParts,
  call: Call & Headed,
  name: string | null,
  body: unknown,
): Promise<RouteAnswer> {
  const expected = expectedOf(call.headers);
  const act = (by: string) => parts.policies.update(name, body, expected, by);
  return answerOf(await write(parts, call, 'policy_update', act), 200);
}

/** The id in `user:ID`; none where nobody is named. */
function idOf(by: string | null): readonly string[] {
  return by?.startsWith('user:') === true ? [by.slice('user:'.length)] : [];
}

function nameIn(names: ReadonlyMap<string, string>, by: string | null): string | null {
  const [id] = idOf(by);
  return id === undefined ? null : (names.get(id) ?? null);
}

type Call = { readonly principal: Principal | null; readonly path: string };
type Headed = { readonly headers: Parameters<typeof expectedOf>[0] };

function answerOf({ policy, changed }: Written, status: 200 | 201): RouteAnswer {
  return {
    status,
    body: { ...toBody(policy), changed },
    headers: {
      etag: toETag(policy.version),
      ...(status === 201 && { location: `/api/v1/policies/${policy.name}` }),
    },
    written: { name: policy.name, version: policy.version },
  };
}

function toBody(policy: StoredPolicy): StoredPolicyBody {
  const { invalid } = policy;
  // Of an invalid document nothing can be taken as it is written.
  const spec = (invalid === undefined ? (policy.document['spec'] ?? {}) : (invalid.inEffect?.spec ?? {})) as {
    enforcement?: string;
    targetNamespaces?: readonly string[];
  };
  return {
    name: policy.name,
    revision: policy.revision,
    enforcement: spec.enforcement === 'Enforce' ? 'Enforce' : 'Audit',
    target_namespaces: [...(spec.targetNamespaces ?? [])],
    created_at: formatTime(policy.createdAt),
    updated_at: formatTime(policy.updatedAt),
    updated_by: policy.updatedBy,
    document: policy.document,
    invalid: invalid === undefined ? null : { fault: invalid.fault, in_effect: invalid.inEffect !== null },
  };
}

function pageOf({ limit, offset }: Page): PolicyPage {
  return { limit: limit ?? null, offset: offset ?? 0 };
}
