import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { parseTime } from '../../src/base/index.ts';
import {
  exportLines,
  LedgerTree,
  readExport,
  toSigner,
  type ColdImagePolicy,
  type ExportRequest,
  type LedgerEntry,
  type LedgerExport,
  type LedgerRow,
} from '../../src/ledger/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerExport } from '../../src/store/ledger/export.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import type { Store } from '../../src/store/sql/store.ts';
import {
  arbitraryFactsDocument,
  arbitraryLedgerRow,
  arbitraryPolicySpec,
  NOW,
  policyOf,
} from '../decision/arbitraries.ts';
import { listen, uidOf } from '../ledger/parts.ts';

/** Made is what a store is filled with. */
export interface Made {
  /** Oldest first. */
  readonly rows: readonly LedgerRow[];
  /** Facts in the form of an export's image line. */
  readonly facts: readonly Readonly<Record<string, unknown>>[];
  /** Every revision, and those in force by name. */
  readonly revisions: readonly Policy[];
  readonly current: readonly Policy[];
  readonly coldImagePolicy: ColdImagePolicy;
  /** Rows of one review, by turns. */
  readonly containers: number;
}

/** arbitraryMade gives ledgers whose images, policies and facts often meet; some revisions go by two names. */
export const arbitraryMade: fc.Arbitrary<Made> = fc
  .tuple(arbitraryPolicySpec(), arbitraryPolicySpec(), arbitraryPolicySpec())
  .map(([a, b, c]) => [
    policyOf(a, 'first'),
    policyOf(b, 'second'),
    policyOf(c, 'second'),
    policyOf(a, 'another'),
  ])
  .chain((revisions) =>
    fc.record({
      rows: fc
        .array(arbitraryLedgerRow(revisions), { maxLength: 60, size: 'max' })
        .map((rows) => rows.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))),
      facts: fc.uniqueArray(arbitraryFactsDocument(), { selector: ({ digest }) => digest, maxLength: 4 }),
      revisions: fc.constant(revisions),
      current: fc.subarray(revisions.slice(0, 2)),
      coldImagePolicy: fc.constantFrom('AllowAndScan' as const, 'DenyUntilScanned' as const),
      containers: fc.integer({ min: 1, max: 3 }),
    }),
  );

const TABLES = [
  'ledger_rows',
  'ledger_shapes',
  'ledger_names',
  'ledger_spans',
  'ledger_uids',
  'ledger_tiles',
  'checkpoints',
  'image_names',
  'findings',
  'scans',
  'triage',
  'image_proofs',
  'image_states',
  'image_search',
  'image_sightings',
  'images',
  'policies',
  'policy_revisions',
  'cve_totals',
  'cve_packages',
];

/** empty takes everything out of a store again, which is faster than making another. */
export async function empty(store: Store): Promise<void> {
  await store.write(async (transaction) => {
    for (const table of TABLES) await runText(transaction, `delete from ${table}`, []);
    for (const table of ['ledger_head', 'ledger_tree'])
      await runText(transaction, `update ${table} set size = 0`, []);
  });
}

/** entriesOf gives rows as the reviews they came from. */
export function entriesOf(rows: readonly LedgerRow[], containers: number): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (let at = 0; at < rows.length; at += containers) {
    entries.push({
      uid: at % 5 === 4 ? null : uidOf(at),
      rows: rows.slice(at, at + containers).map(({ time, ...row }) => ({ ...row, at: parseTime(time) })),
    });
  }
  return entries;
}

/** Goes up over all fillings, as a store's own does over all changes. */
let versions = 0;

/** fill puts a made ledger into an empty store. */
export async function fill(store: Store, made: Made): Promise<void> {
  const documentOf = ({ name, spec }: Policy): string =>
    JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name }, spec });
  const entries = entriesOf(made.rows, made.containers);
  if (entries.length > 0) await ledgerWriter(store).appendAll(entries);
  await store.write(async (transaction) => {
    for (const policy of made.revisions) {
      await runText(
        transaction,
        `insert into policy_revisions (name, revision, document, recorded_at) values (?, ?, ?, 0) on conflict do nothing`,
        [policy.name, policy.revision, documentOf(policy)],
      );
    }
    for (const policy of made.current) {
      await runText(
        transaction,
        `insert into policies (name, revision, document, version, created_at, updated_at) values (?, ?, ?, 1, 0, 0)`,
        [policy.name, policy.revision, documentOf(policy)],
      );
    }
    for (const facts of made.facts) {
      await runText(
        transaction,
        `insert into images (digest, first_seen_at, facts, facts_version) values (?, 0, ?, ?)
         on conflict (digest) do update set facts = excluded.facts, facts_version = excluded.facts_version`,
        [facts['digest'] as string, JSON.stringify(facts), ++versions],
      );
    }
  });
}

const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** SIGNER signs the checkpoints of tests. */
export const SIGNER = toSigner('ipo.dev/ledger/test', PEM);

/** treeOf integrates and signs what a store holds, and gives it as an export needs it. */
export async function treeOf(store: Store): Promise<ExportRequest['tree']> {
  const tiles = ledgerTree(store);
  const tree = new LedgerTree({ store: tiles, signer: SIGNER, clock: { now: () => NOW }, log: listen() });
  const checkpoint = await tree.checkpoint();
  return checkpoint === null ? null : { checkpoint, key: SIGNER.vkey, tiles };
}

/** exported gives the text of an export of a store. */
export async function exported(store: Store, more: Partial<ExportRequest> = {}): Promise<string> {
  const parts = await ledgerExport(store, {
    at: NOW,
    cluster: 'shop-eu',
    coldImagePolicy: 'AllowAndScan',
    from: null,
    to: null,
    tree: null,
    ...more,
  });
  let text = '';
  for await (const block of exportLines(parts)) text += block;
  return text;
}

/** bytesOf gives a text in chunks. */
export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** openWhole opens the text of an export with every field of its rows. */
export function openWhole(text: string): Promise<LedgerExport> {
  return readExport(bytesOf(text), 'ledger.ndjson', { whole: true });
}
