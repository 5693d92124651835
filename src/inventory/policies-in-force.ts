import { byCodeUnit, canonicalJson, sha256Hex } from '../base/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import { parseRecordedPolicy, type Policy, type PolicyStore } from '../policy/index.ts';

/** PoliciesInForce are the policies that images are judged by, with a hash that changes when they do. */
export interface PoliciesInForce {
  readonly policies: readonly Policy[];
  readonly key: string;
}

/** readPolicies gives the policies in force. A revision is parsed once and stays one object, since rules are prepared per object. */
export function readPolicies(
  store: Pick<PolicyStore, 'list'>,
  coldImagePolicy: ColdImagePolicy,
): () => Promise<PoliciesInForce> {
  let known = new Map<string, Policy>();
  return async () => {
    const { items } = await store.list({ limit: null, offset: 0 });
    const now = new Map<string, Policy>();
    for (const { name, revision, document } of items) {
      const key = `${name} ${revision}`;
      const policy = known.get(key) ?? parseRecordedPolicy(document, name, revision);
      if (policy !== null) now.set(key, policy);
    }
    known = now;
    const key = sha256Hex(
      canonicalJson([JUDGEMENT, coldImagePolicy, [...now.keys()].toSorted(byCodeUnit)]),
    ).slice(0, 32);
    return { policies: [...now.values()], key };
  };
}

/** Version of the judgement; raised when the same facts and policies come to another state or summary. */
const JUDGEMENT = 1;
