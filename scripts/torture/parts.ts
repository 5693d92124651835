/** Part is a piece of the torture that ends within an hour on two quiet cores. */
export interface Part {
  readonly name: string;
  /** What is done, and how often. */
  readonly about: string;
  /** Test files, each of them in this many shares; a share is what an interrupted part goes on from. */
  readonly files: readonly string[];
  readonly shares: number;
  /** Minutes that it takes on two quiet cores, about. */
  readonly minutes: number;
}

/** Chunk is one share of one file: a process of its own. */
export interface Chunk {
  readonly file: string;
  readonly part: number;
  readonly of: number;
}

/** chunksOf gives the chunks of a part in their order. A sample has one in this many turns of each file, in two chunks at most. */
export function chunksOf({ files, shares }: Part, sample = 1): Chunk[] {
  const chunks = sample === 1 ? shares : Math.min(shares, 2);
  return files.flatMap((file) =>
    Array.from({ length: chunks }, (_, i) => ({ file, part: i * sample + 1, of: chunks * sample })),
  );
}

/** PARTS are all parts; a test holds that every test file with a longer form is in one of them. */
export const PARTS: readonly Part[] = [
  {
    name: 'ledger-kills',
    about: '10,000 processes killed while they append to the ledger, 5,000 on each engine, two at a time',
    files: ['test/ledger/kill.test.ts'],
    shares: 4,
    minutes: 15,
  },
  {
    name: 'backup-kills',
    about:
      'backups, restores and moves killed 100 times each on each engine, 4,000 changed or missing bytes of a backup, and backups of every level of migration, restored from engine to engine',
    files: ['test/backup/kill.test.ts', 'test/store/backup.test.ts'],
    shares: 4,
    minutes: 30,
  },
  {
    name: 'evidence-kills',
    about: '60 makers of evidence packages killed or stopped, and their replicas, 30 on each engine',
    files: ['test/evidence/kill.test.ts'],
    shares: 3,
    minutes: 10,
  },
  {
    name: 'evidence-tampering',
    about:
      'each file of an evidence package × 200 changed bytes, read from the disk too, and 26 changes that somebody covers up',
    files: ['test/evidence/tamper.test.ts', 'test/cli/evidence-damage.test.ts'],
    shares: 2,
    minutes: 10,
  },
  {
    name: 'evidence-engines',
    about: '50 random services whose evidence packages are equal byte for byte on both engines',
    files: ['test/evidence/both-engines.test.ts'],
    shares: 2,
    minutes: 5,
  },
  {
    name: 'ledger-ends',
    about: '240 processes killed while they end and put their spool back, 120 on each engine',
    files: ['test/ledger/kill-close.test.ts'],
    shares: 4,
    minutes: 10,
  },
  {
    name: 'process-kills',
    about: '600 processes of a daemon killed under load, 300 on each engine',
    files: ['test/daemon/parts-kill.test.ts'],
    shares: 10,
    minutes: 25,
  },
  {
    name: 'ledger-syscalls',
    about: '120 failing system calls of the ledger and its spool, 20 times each',
    files: ['test/ledger/kill-syscalls.test.ts'],
    shares: 10,
    minutes: 20,
  },
  {
    name: 'stop-schedules',
    about: '10,000 histories of pods that change and come back under their names while events stop them',
    files: ['test/runtime/stop-schedules.test.ts'],
    shares: 4,
    minutes: 5,
  },
  {
    name: 'runtime-kills',
    about: '300 kills of a process that keeps and decides events, on each engine',
    files: ['test/store/runtime-kill.test.ts'],
    shares: 10,
    minutes: 10,
  },
  {
    name: 'runtime-decisions',
    about:
      '200 histories of events on each engine, over restarts, leaders and late events, live and replayed',
    files: ['test/store/runtime-decisions.test.ts'],
    shares: 4,
    minutes: 3,
  },
  {
    name: 'stop-kills',
    about: '300 processes killed while they stop pods for events, 150 on each engine',
    files: ['test/runtime/stop-kill.test.ts'],
    shares: 4,
    minutes: 15,
  },
  {
    name: 'notification-faults',
    about: '60,000 cells of the fault matrix of notifications on SQLite and 12,000 on PostgreSQL',
    files: ['test/notify/fault-matrix.test.ts'],
    shares: 20,
    minutes: 50,
  },
  {
    name: 'notification-storm',
    about: '100,000 events of one incident in a minute, to a channel of each kind, on both databases',
    files: ['test/notify/storm.test.ts'],
    shares: 1,
    minutes: 10,
  },
  {
    name: 'tracker-faults',
    about:
      '840 cells of step, failure and crash of the tracker protocol, 200 times each; 210 of them on PostgreSQL',
    files: ['test/trackers/fault-matrix.test.ts'],
    shares: 20,
    minutes: 25,
  },
  {
    name: 'tracker-comments',
    about:
      '600 cells of the comments that continue a summary, 90 times each, 9 times on PostgreSQL; 192 real processes that are killed between them',
    files: ['test/trackers/continuation-matrix.test.ts', 'test/trackers/continuation-kill.test.ts'],
    shares: 10,
    minutes: 40,
  },
  {
    name: 'tracker-kills',
    about:
      '840 cells killed as real processes, 5 times each on SQLite and once on PostgreSQL, and every pause',
    files: ['test/trackers/real-process.test.ts'],
    shares: 20,
    minutes: 30,
  },
  {
    name: 'replicas',
    about: '200 schedules of three replicas for each death, outage and engine: 1,600',
    files: ['test/replicas/schedules.test.ts'],
    shares: 10,
    minutes: 20,
  },
  {
    name: 'election',
    about: '2,000 schedules of three replicas that elect a leader',
    files: ['test/leadership/election.test.ts'],
    shares: 4,
    minutes: 5,
  },
  {
    name: 'migrations',
    about: 'every migration killed inside, 50 times on each engine',
    files: ['test/store/migrate-processes.test.ts'],
    shares: 10,
    minutes: 20,
  },
  {
    name: 'ledger',
    about:
      'properties of the tree, its proofs, exports and the spool; every kind of tampering; 4,000 schedules of anchors',
    files: [
      'test/ledger/anchor-schedules.test.ts',
      'test/ledger/append-outages.test.ts',
      'test/ledger/leaf-bytes.test.ts',
      'test/ledger/leaf-lines.test.ts',
      'test/ledger/leaf.test.ts',
      'test/ledger/merkle.test.ts',
      'test/ledger/note.test.ts',
      'test/ledger/row-lines.test.ts',
      'test/ledger/tamper-database.test.ts',
      'test/ledger/tamper-export.test.ts',
      'test/ledger/tlog-proof.test.ts',
      'test/adapters/spool/file-spool.test.ts',
    ],
    shares: 1,
    minutes: 15,
  },
  {
    name: 'store',
    about: 'properties of what is stored, on both engines; sealing, scans and reports that are killed',
    files: [
      'test/inventory/compliance.test.ts',
      'test/nodes/standing.test.ts',
      'test/reconcile/plan.test.ts',
      'test/reconcile/pod-ledger.test.ts',
      'test/scan/kill.test.ts',
      'test/app/kept-state.test.ts',
      'test/daemon/attack.test.ts',
      'test/store/append-now.test.ts',
      'test/store/channels-seal.test.ts',
      'test/store/facts.test.ts',
      'test/store/history-model.test.ts',
      'test/store/images.test.ts',
      'test/store/known-uids.test.ts',
      'test/store/ledger-append.test.ts',
      'test/store/ledger-export.test.ts',
      'test/store/ledger-leaves.test.ts',
      'test/store/reports-kill.test.ts',
      'test/store/vulnerabilities.test.ts',
    ],
    shares: 1,
    minutes: 30,
  },
  {
    name: 'routes',
    about:
      'every route of the API with 1,000,000 rows and 10,000 images: how long it holds the event loop up',
    files: ['test/app/route-costs.test.ts'],
    shares: 1,
    minutes: 15,
  },
  {
    name: 'policies',
    about: 'properties of policies and decisions; 40 rounds of changed policies on 1 to 3 replicas',
    files: [
      'test/policy/pattern-strangers.test.ts',
      'test/app/in-effect.test.ts',
      'test/decision/laws.test.ts',
      'test/policy/common-form.test.ts',
      'test/policy/field.test.ts',
      'test/policy/parse-value.test.ts',
      'test/policy/pattern.test.ts',
      'test/policy/properties.test.ts',
      'test/policy/public-key.test.ts',
    ],
    shares: 1,
    minutes: 15,
  },
  {
    name: 'replays',
    about: 'properties of replays: over exports, databases and a service, and of their reports',
    files: [
      'test/app/whatif-equality.test.ts',
      'test/whatif/laws.test.ts',
      'test/whatif/live.test.ts',
      'test/cli/table-lines.test.ts',
      'test/whatif/report/pdf.test.ts',
      'test/whatif/store-source.test.ts',
    ],
    shares: 1,
    minutes: 45,
  },
  {
    name: 'inputs',
    about:
      'texts from outside, made wrong at random: registries, reports, bundles, VEX, JSON, versions, reviews, policies of others; and what is computed twice: suggested policies, attestations, licences',
    files: [
      'test/adapters/feeds/kev-catalogue.test.ts',
      'test/adapters/transport/address.test.ts',
      'test/adapters/trivy/fuzz.test.ts',
      'test/admission/remembered-answers.test.ts',
      'test/admission/review-wire.test.ts',
      'test/advice/suggest.test.ts',
      'test/api/body-blocks.test.ts',
      'test/base/duration.test.ts',
      'test/base/json.test.ts',
      'test/base/text.test.ts',
      'test/base/time.test.ts',
      'test/cli/check-faults.test.ts',
      'test/evidence/attestations.test.ts',
      'test/image/platform.test.ts',
      'test/image/reference.test.ts',
      'test/licence/oracle.test.ts',
      'test/policy-import/real-files.test.ts',
      'test/registry/fuzz.test.ts',
      'test/registry/keychains.test.ts',
      'test/runtime/event.test.ts',
      'test/scan/grype.test.ts',
      'test/scan/scan-attempt.test.ts',
      'test/supply-chain/verify-cosign.test.ts',
      'test/supply-chain/verify-fuzz.test.ts',
      'test/versions/compare.test.ts',
      'test/vex/mutated.test.ts',
    ],
    shares: 1,
    minutes: 40,
  },
  {
    name: 'accounts',
    about:
      'properties of passwords, secrets, permissions and the audit export; 500 changes of certificates and of the path',
    files: [
      'test/accounts/audit-csv.test.ts',
      'test/accounts/passwords.test.ts',
      'test/accounts/rules.test.ts',
      'test/accounts/secrets.test.ts',
      'test/certificates/path.test.ts',
      'test/certificates/rotations.test.ts',
    ],
    shares: 1,
    minutes: 15,
  },
  {
    name: 'trackers',
    about: 'properties of what trackers are sent, of their history, and of clocks that are set',
    files: [
      'test/channels/seal.test.ts',
      'test/channels/targets.test.ts',
      'test/fakes/adf.test.ts',
      'test/trackers/clocks.test.ts',
      'test/trackers/history.test.ts',
    ],
    shares: 1,
    minutes: 20,
  },
];
