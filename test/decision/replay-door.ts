import { exportLines, type LedgerRow } from '../../src/ledger/index.ts';
import type { DecisionCase } from './cases.ts';

/**
 * exportOf writes the ledger of a case: its policy in force, what is recorded of its image, and one row that was
 * admitted or refused; no row where `allowed` is null. A refusal has no sentence that tells its label, but where
 * the meter refused.
 */
export async function exportOf(c: DecisionCase, allowed: boolean | null): Promise<string> {
  const { policy, document } = c.policy;
  const refusedByMeter = allowed === false && c.quota !== null;
  const row: LedgerRow = {
    id: 1,
    time: c.at,
    review_uid: 'a0000000-0000-4000-8000-000000000001',
    cluster: 'shop-eu',
    namespace: c.namespace,
    pod: 'web-6d5c8b9f4-x2x9k',
    pod_uid: 'b0000000-0000-4000-8000-000000000001',
    container: 'web',
    image: c.image,
    digest: c.digest,
    allowed: allowed ?? true,
    reason: refusedByMeter ? (c.quota ?? '') : allowed === false ? 'refused by an earlier release' : '',
    policy: policy.name,
    policy_revision: policy.revision,
    break_glass: c.expect.break_glass === true,
    break_glass_reason: c.expect.break_glass === true ? (c.break_glass?.reason ?? null) : null,
    signals: c.signals,
    exposed_by: c.exposed_by,
  };
  let text = '';
  const images = c.recorded === null ? [] : [c.recorded];
  for await (const block of exportLines({
    header: {
      exportedAt: c.atMs,
      cluster: 'shop-eu',
      coldImagePolicy: c.cold_image_policy,
      rows: allowed === null ? 0 : 1,
      images: images.length,
      from: null,
      to: null,
    },
    policies: [{ name: policy.name, revision: policy.revision, current: true, document }],
    images,
    rows: allowed === null ? [] : [[row]],
  })) {
    text += block;
  }
  return text;
}

/** bytesOf gives a text as a stream. */
export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}
