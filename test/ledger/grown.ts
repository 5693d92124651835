import { generateKeyPairSync } from 'node:crypto';
import type { Clock, Log } from '../../src/base/index.ts';
import {
  LedgerTree,
  toSigner,
  type LedgerEntry,
  type NoteSigner,
  type TreeDeps,
  type TreeStore,
} from '../../src/ledger/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import type { Store } from '../../src/store/sql/store.ts';

/** ORIGIN is the log of these tests. */
export const ORIGIN = 'ipo.example/ledger/test';

/** NOW is the time that their clock shows. */
export const NOW = Date.parse('2026-11-20T06:00:00Z');

/** makeSigner makes a key in the name of a log. */
export function makeSigner(name = ORIGIN): NoteSigner {
  return toSigner(name, makeKey());
}

/** makeKey makes a private key as its file holds it. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** SILENT takes what is logged and says nothing. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** treeOf keeps the tree of a store. */
export function treeOf(store: Store, signer: NoteSigner, deps: Partial<TreeDeps> = {}): LedgerTree {
  return growing(ledgerTree(store), signer, deps);
}

/** growing grows and signs a tree. */
export function growing(store: TreeStore, signer: NoteSigner, deps: Partial<TreeDeps> = {}): LedgerTree {
  const clock: Clock = { now: () => NOW };
  return new LedgerTree({ store, signer, clock, log: SILENT, ...deps });
}

/** entriesFrom makes reviews of one to three rows, `count` rows in all, as varied as a cluster's. */
export function entriesFrom(first: number, count: number): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (let made = 0; made < count;) {
    const n = first + made;
    const rows = Math.min(count - made, 1 + (n % 3));
    entries.push({
      uid:
        n % 11 === 0
          ? null
          : `${n.toString(16).padStart(8, '0')}-1111-4222-8333-${String(n).padStart(12, '0')}`,
      rows: Array.from({ length: rows }, (_, i) => ({
        at: NOW - 86_400_000 + (n + i) * 100,
        kind: n % 11 === 0 ? 'reconcile' : 'review',
        cluster: 'shop-eu',
        namespace: `team-${n % 5}`,
        pod: n % 17 === 0 ? null : `web-${n}`,
        pod_uid: `${n.toString(16).padStart(8, '0')}-2222-4222-8333-${String(n).padStart(12, '0')}`,
        container: `c${i}`,
        image: `registry.example/app-${n % 7}:1.${i}`,
        digest: `sha256:${(n % 7).toString(16).repeat(64)}`,
        allowed: n % 4 !== 0,
        reason: n % 4 === 0 ? `vulnerabilities at or above HIGH: CVE-2024-${1000 + (n % 3)}` : '',
        label: n % 4 === 0 ? 'threshold' : null,
        policy: 'shop',
        policy_revision: 'a'.repeat(64),
        signals: n % 6 === 0 ? null : n % 2 === 0 ? ['root'] : [],
        requester: `system:serviceaccount:kube-system:${n % 3}`,
        inputs: 'b'.repeat(64),
      })),
    });
    made += rows;
  }
  return entries;
}

/** grow appends rows until the ledger of a store holds `size`; it must hold `before`. */
export async function grow(store: Store, before: number, size: number): Promise<void> {
  const writer = ledgerWriter(store);
  const entries = entriesFrom(before + 1, size - before);
  for (let at = 0; at < entries.length; at += 500) await writer.appendAll(entries.slice(at, at + 500));
}
