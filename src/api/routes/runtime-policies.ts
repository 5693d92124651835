import type { AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import { MAX_POLICY_BYTES, type KeptPolicies, type StoredPolicy, type Written } from '../../policy/index.ts';
import type { RevisedRuntimePolicy, RuntimePolicy } from '../../runtime/index.ts';
import { listOf, pageSchema } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  runtimePolicyPath,
  runtimePolicySchema,
  storedRuntimePolicySchema,
  writtenRuntimePolicySchema,
  type StoredRuntimePolicyBody,
} from '../contract/runtime-policies.ts';
import { expectedOf, toETag } from '../if-match.ts';
import { openRecording, type RecordedCall } from '../recording.ts';
import { route, type Answered, type Route, type RouteAnswer } from '../route.ts';

/** RuntimePolicyParts are what the routes of runtime policies act through. */
export interface RuntimePolicyParts {
  readonly runtimePolicies: KeptPolicies<RevisedRuntimePolicy>;
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

type Kept = StoredPolicy<RevisedRuntimePolicy>;

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const TAKEN: Answered = { ...PROBLEM, description: 'A runtime policy of this name is there already' };
const CHANGED: Answered = { ...PROBLEM, description: 'It has been changed since it was read' };
const UNSURE: Answered = { ...PROBLEM, description: 'The call has no If-Match' };
const ETAG = { ETag: 'Version of the runtime policy, for If-Match' };
const IF_MATCH = 'Needs `If-Match` with the ETag that GET gave, or `*` for whatever stands.';
/** A JSON body may be written with more blanks than the document itself. */
const MAX_BODY = MAX_POLICY_BYTES * 2;

/** runtimePolicyRoutes read and write runtime policies. A write and its audit entry are durable together before its answer. */
export function runtimePolicyRoutes(parts: RuntimePolicyParts): Route[] {
  const { runtimePolicies } = parts;
  return [
    route({
      key: 'GET /runtime/policies',
      id: 'listRuntimePolicies',
      tag: 'runtime',
      summary: 'List the runtime policies, by name',
      query: pageSchema,
      answers: { 200: { description: 'The runtime policies', schema: listOf(storedRuntimePolicySchema) } },
      handle: async ({ query: { limit, offset } }) => {
        const { items, total } = await runtimePolicies.list({ limit: limit ?? null, offset: offset ?? 0 });
        return { body: { items: items.map(toBody), total } };
      },
    }),
    route({
      key: 'GET /runtime/policies/{name}',
      id: 'showRuntimePolicy',
      tag: 'runtime',
      summary: 'Show a runtime policy',
      params: runtimePolicyPath,
      answers: { 200: { description: 'It', schema: storedRuntimePolicySchema, headers: ETAG } },
      handle: async ({ params }) => {
        const policy = await runtimePolicies.get(params.name);
        return { body: toBody(policy), headers: { etag: toETag(policy.version) } };
      },
    }),
    ...writingRoutes(parts),
  ];
}

function writingRoutes({ runtimePolicies, audit, together }: RuntimePolicyParts): Route[] {
  const record = openRecording(audit);
  const write = (
    call: RecordedCall,
    action: AuditAction,
    act: (by: string) => Promise<Written<RevisedRuntimePolicy>>,
  ): Promise<Written<RevisedRuntimePolicy>> =>
    together(async () => {
      const written = await act(`user:${(call.principal as Principal).accountId}`);
      const { policy, before, changed } = written;
      const { name, revision } = policy;
      const { enforcement } = toBody(policy);
      if (changed) await record(call, action, name, { revision, revision_before: before, enforcement });
      return written;
    });

  return [
    route({
      key: 'POST /runtime/policies',
      id: 'createRuntimePolicy',
      tag: 'runtime',
      summary: 'Create a runtime policy',
      body: runtimePolicySchema,
      maxBody: MAX_BODY,
      answers: {
        201: {
          description: 'The runtime policy is kept',
          schema: writtenRuntimePolicySchema,
          headers: { ...ETAG, Location: 'Path of the runtime policy' },
        },
        409: TAKEN,
      },
      handle: async (call) =>
        answerOf(
          await write(call, 'runtime_policy_create', (by) => runtimePolicies.create(call.body, by)),
          201,
        ),
    }),
    route({
      key: 'PUT /runtime/policies/{name}',
      id: 'updateRuntimePolicy',
      tag: 'runtime',
      summary: 'Update a runtime policy',
      description: `${IF_MATCH} A document of another name is refused.`,
      params: runtimePolicyPath,
      body: runtimePolicySchema,
      maxBody: MAX_BODY,
      answers: {
        200: { description: 'It is kept', schema: writtenRuntimePolicySchema, headers: ETAG },
        412: CHANGED,
        428: UNSURE,
      },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        const { name } = call.params;
        const act = (by: string) => runtimePolicies.update(name, call.body, expected, by);
        return answerOf(await write(call, 'runtime_policy_update', act), 200);
      },
    }),
    route({
      key: 'DELETE /runtime/policies/{name}',
      id: 'deleteRuntimePolicy',
      tag: 'runtime',
      summary: 'Delete a runtime policy',
      description: IF_MATCH,
      params: runtimePolicyPath,
      answers: { 204: { description: 'It stops nothing any more' }, 412: CHANGED, 428: UNSURE },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        await together(async () => {
          const { name, revision } = await runtimePolicies.remove(call.params.name, expected);
          await record(call, 'runtime_policy_delete', name, { revision_before: revision });
        });
        return { status: 204 };
      },
    }),
  ];
}

function answerOf({ policy, changed }: Written<RevisedRuntimePolicy>, status: 200 | 201): RouteAnswer {
  return {
    status,
    body: { ...toBody(policy), changed },
    headers: {
      etag: toETag(policy.version),
      ...(status === 201 && { location: `/api/v1/runtime/policies/${policy.name}` }),
    },
  };
}

function toBody(policy: Kept): StoredRuntimePolicyBody {
  const { name, revision, document, invalid } = policy;
  const { enforcement, targetNamespaces, stopMode } = specOf(policy);
  return {
    name,
    revision,
    enforcement: enforcement === 'Enforce' ? 'Enforce' : 'Audit',
    target_namespaces: [...(targetNamespaces ?? [])],
    stop_mode: stopMode === 'graceful' ? 'graceful' : 'immediate',
    created_at: formatTime(policy.createdAt),
    updated_at: formatTime(policy.updatedAt),
    updated_by: policy.updatedBy,
    document,
    invalid: invalid === undefined ? null : { fault: invalid.fault, in_effect: invalid.inEffect !== null },
  };
}

/** What is in effect: of a document that is not, nothing can be taken as it is written. */
function specOf({ document, invalid }: Kept): Partial<RuntimePolicy['spec']> {
  if (invalid !== undefined) return invalid.inEffect?.spec ?? {};
  return (document['spec'] ?? {}) as Partial<RuntimePolicy['spec']>;
}
