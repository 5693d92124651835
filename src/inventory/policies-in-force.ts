import { setImmediate as nextTurn } from 'node:timers/promises';
import { byCodeUnit, canonicalJson, sha256Hex } from '../base/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import { parseRecordedPolicy, type Policy } from '../policy/index.ts';
import type { PolicyReads } from './ports.ts';

/** PoliciesInForce are the policies that images are judged by, with a hash that changes when they do. */
export interface PoliciesInForce {
  readonly policies: readonly Policy[];
  readonly key: string;
}

/**
 * readPolicies gives the policies in effect. A revision is read and parsed once and stays one object, since rules are prepared per object:
 * a caller reads only names and revisions while nothing changed.
 */
export function readPolicies(
  store: PolicyReads,
  coldImagePolicy: ColdImagePolicy,
): () => Promise<PoliciesInForce> {
  let known = new Map<string, Policy>();
  return async () => {
    const now = new Map<string, Policy>();
    for (const head of await store.heads()) {
      const same = known.get(keyOf(head));
      if (same !== undefined) now.set(keyOf(head), same);
      else {
        const stored = await store.get(head.name);
        const policy =
          stored === null ? null : parseRecordedPolicy(stored.document, stored.name, stored.revision);
        if (policy !== null) now.set(keyOf(policy), policy);
        await nextTurn(); // patterns of signers may take milliseconds to compile
      }
    }
    known = now;
    const key = sha256Hex(
      canonicalJson([JUDGEMENT, coldImagePolicy, [...now.keys()].toSorted(byCodeUnit)]),
    ).slice(0, 32);
    return { policies: [...now.values()], key };
  };
}

function keyOf({ name, revision }: { readonly name: string; readonly revision: string }): string {
  return `${name} ${revision}`;
}

/** Version of the judgement; raised when the same facts and policies come to another state or summary. */
const JUDGEMENT = 1;
