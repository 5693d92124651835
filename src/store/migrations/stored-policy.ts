import { canonicalJson, sha256Hex } from '../../base/index.ts';

/**
 * revisionOfStored gives the revision of a stored document. Fields that are no longer known are left out, as a replay reads it; what is not
 * a policy today has the hash of its text, so that it keeps a name of its own.
 */
export async function revisionOfStored(document: string): Promise<string> {
  // Few databases have a policy to read again, and every start would load what reads one.
  const { parseRecordedPolicy, revisionOf } = await import('../../policy/index.ts');
  let value: unknown;
  try {
    value = JSON.parse(document);
  } catch {
    return sha256Hex(document);
  }
  const policy = parseRecordedPolicy(value, '', '');
  return policy === null ? sha256Hex(canonicalJson(value)) : revisionOf(policy.spec);
}
