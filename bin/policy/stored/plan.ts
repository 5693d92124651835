import type { RevisionBody, StoredPolicyBody } from '../../../src/api/contract/policies.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { isIpoError } from '../../../src/base/index.ts';
import { parsePolicyValue, parseRecordedPolicy, type ParsedPolicy } from '../../../src/policy/index.ts';
import type { Plan } from './apply-report.ts';
import { documentDifference } from '../../terminal/document-difference.ts';

/** toPlan puts a policy beside the one that is stored. */
export function toPlan(policy: ParsedPolicy, stored: Plan['stored']): Plan {
  if (stored === null) return { policy, stored, wording: [] };
  const { document, revision } = stored.body;
  const before = document as Json;
  // As the service would keep it, and through JSON as it would come to it.
  const after = JSON.parse(JSON.stringify(parsePolicyValue(policy.written).document)) as Json;
  const same = revision === policy.policy.revision;
  const wording = documentDifference(same ? before : beyondSpec(before), same ? after : beyondSpec(after));
  return { policy, stored, wording };
}

type Json = Readonly<Record<string, unknown>>;

function beyondSpec({ spec: _spec, ...rest }: Json): Json {
  return rest;
}

/** meansTheSame tells whether a plan changes no verdict. */
export function meansTheSame({ policy, stored }: Plan): boolean {
  return stored?.body.revision === policy.policy.revision;
}

/** findStored reads the policy that the service has under a name; null for none. */
export async function findStored(service: ServiceClient, name: string): Promise<Plan['stored']> {
  try {
    const { body, headers } = await service.json<StoredPolicyBody>('GET /policies/{name}', {
      params: { name },
    });
    return { body: await comparable(service, body), etag: headers['etag'] ?? '' };
  } catch (error) {
    if (isIpoError(error) && error.code === 'not_found') return null;
    throw error;
  }
}

/** An invalid document is compared by what is in effect in its place. */
async function comparable(service: ServiceClient, body: StoredPolicyBody): Promise<StoredPolicyBody> {
  const { name, revision, invalid } = body;
  if (invalid === null || revision === '') return body;
  const key = 'GET /policies/{name}/revisions/{revision}';
  const { document } = (await service.json<RevisionBody>(key, { params: { name, revision } })).body;
  return { ...body, document };
}

/** inForce gives a stored policy to compare with: of a document of an earlier release what of it is known today. */
export function inForce({ name, revision, document }: StoredPolicyBody, beside: ParsedPolicy): ParsedPolicy {
  const policy = parseRecordedPolicy(document, name, revision);
  return policy === null ? { ...beside, policy: { ...beside.policy, revision } } : { ...beside, policy };
}
