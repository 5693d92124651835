import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { makePackage, toRequest, type EvidenceSigner } from '../../src/evidence/index.ts';
import { verifyExport } from '../../src/ledger/index.ts';
import { atOneMoment, evidenceSource } from '../../src/store/evidence/index.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { treeOf } from '../store/made-ledger.ts';
import { memory, SIGNER } from './source.ts';

/** packageOfStore makes the package of a store, whose ledger it signs, and gives its bytes. */
export async function packageOfStore(
  opened: Store,
  { from, to, now, signer = SIGNER }: { from: number; to: number; now: number; signer?: EvidenceSigner },
): Promise<Buffer> {
  const tree = await treeOf(opened);
  assert.ok(tree !== null);
  return atOneMoment(opened, async (store) => {
    const request = toRequest({ from, to, frameworks: ['nist-csf'], includeRuntimeRaw: true }, now);
    const source = await evidenceSource(
      store,
      request,
      { at: now, cluster: 'shop-prod-eu1', coldImagePolicy: 'AllowAndScan', tree },
      {
        version: '0.0.0',
        organisation: { name: 'Shop', contact: null },
        exemptNamespaces: ['kube-system'],
        rescanHours: 24,
        publicUrl: null,
      },
    );
    const made = await makePackage({
      ...{ source, request, at: now, signer, scratch: memory },
      checkpoint: () => tree.checkpoint.note,
      verifyRows: async (chunks) => {
        const all: Uint8Array[] = [];
        for await (const chunk of chunks) all.push(chunk);
        return verifyExport([gunzipSync(Buffer.concat(all))] as never, 'rows', { keys: [], kept: [] });
      },
    });
    const bytes: Uint8Array[] = [];
    for await (const chunk of made.archive()) bytes.push(chunk);
    return Buffer.concat(bytes);
  });
}
