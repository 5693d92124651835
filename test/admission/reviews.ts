import { randomUUID } from 'node:crypto';
import { Exposure } from '../../src/pods/index.ts';
import {
  Reviewer,
  ReviewTally,
  type ReviewerDeps,
  type ReviewerOptions,
  type ReviewEvent,
} from '../../src/admission/index.ts';
import { NO_FACTS, type ImageFacts } from '../../src/facts/index.ts';
import { recordedRow, type Appended, type LedgerEntry, type NewRow } from '../../src/ledger/index.ts';
import { parsePolicies, type Policy } from '../../src/policy/index.ts';

/** AT is the time of every review of a test. */
export const AT = Date.parse('2026-11-20T06:00:00Z');
/** DIGEST is that of an image with facts. */
export const DIGEST = `sha256:${'a'.repeat(64)}`;

/** policyOf makes a policy from the text below `spec`. */
export function policyOf(spec: string, name = 'shop'): Policy {
  const text = `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
  const { policies, problems } = parsePolicies(text, `${name}.yaml`);
  const [policy] = policies;
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return policy.policy;
}

/** factsOf makes facts of DIGEST with one finding of a severity. */
export function factsOf(severity: 'CRITICAL' | 'LOW', more: Partial<ImageFacts> = {}): ImageFacts {
  const finding = {
    ...{ cve: 'CVE-2026-1', severity, rank: severity === 'CRITICAL' ? 4 : 1, package: 'p', installed: '1' },
    ...{ fixed: '2', knownExploited: false, triagedUntil: null, triagedUntilMs: -Infinity },
  };
  const scan = { scannedAt: null, scanner: null, os: null, findings: [finding] };
  return { ...NO_FACTS, digest: DIGEST, scan, ...more };
}

/** ReviewText says what a review asks; what is absent is as a Deployment's controller has it. */
export interface ReviewText {
  readonly uid?: string;
  readonly operation?: string;
  readonly subResource?: string;
  readonly dryRun?: boolean;
  readonly namespace?: string;
  readonly userInfo?: object;
  readonly resource?: object;
  readonly metadata?: object;
  readonly spec?: unknown;
  readonly oldSpec?: unknown;
}

/** reviewOf writes an AdmissionReview as the API server does. */
export function reviewOf(text: ReviewText = {}): Buffer {
  const { spec = { containers: [{ name: 'web', image: 'ghcr.io/acme/web:1' }] } } = text;
  const metadata = { name: 'web-1', uid: '11111111-1111-4111-8111-111111111111', ...text.metadata };
  const request = {
    uid: text.uid ?? randomUUID(),
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: text.resource ?? { group: '', version: 'v1', resource: 'pods' },
    ...(text.subResource !== undefined && { subResource: text.subResource }),
    namespace: text.namespace ?? 'shop',
    operation: text.operation ?? 'CREATE',
    userInfo: text.userInfo ?? {
      username: 'system:serviceaccount:kube-system:replicaset-controller',
      groups: ['system:serviceaccounts'],
    },
    object: { apiVersion: 'v1', kind: 'Pod', metadata, spec },
    oldObject: text.oldSpec === undefined ? null : { metadata, spec: text.oldSpec },
    dryRun: text.dryRun ?? false,
  };
  return Buffer.from(JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request }));
}

/** Response is the `response` of an answer. */
export interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message: string };
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** openReviewer makes a reviewer over memory, with what it did. */
export function openReviewer(
  policies: readonly Policy[],
  deps: Partial<ReviewerDeps> = {},
  options: Partial<ReviewerOptions> = {},
) {
  const entries: LedgerEntry[] = [];
  const events: ReviewEvent[] = [];
  const wanted: string[] = [];
  const metered: string[] = [];
  const logged: string[] = [];
  const counted = new Map<string, number>();
  const facts = new Map<string, ImageFacts>();
  const tally = new ReviewTally();
  const stored = new Map<string, readonly NewRow[]>();
  const keep = (message: string): void => void logged.push(message);
  const reviewer = new Reviewer(
    {
      policies: { current: () => policies, staleSince: () => null },
      facts: { known: (digest) => facts.get(digest) ?? null, read: async () => null, last: () => undefined },
      exposure: new Exposure([], []),
      lookup: null,
      names: { refusal: () => null, admitted: (names) => void metered.push(...names) },
      scans: { want: (digest) => void wanted.push(digest) },
      events: { happened: (event) => void events.push(event) },
      ledger: {
        append: async (entry): Promise<Appended> => {
          const before = stored.get(entry.uid ?? '');
          if (before === undefined) {
            entries.push(entry);
            stored.set(entry.uid ?? '', entry.rows);
          }
          const rows = (before ?? entry.rows).map((row, i) => recordedRow(entry.uid, row, i + 1));
          return { rows, repeat: before !== undefined, delayed: false };
        },
      },
      tally,
      clock: { now: () => AT },
      timers: { after: () => () => {} },
      log: { debug: keep, info: keep, warn: keep, error: keep },
      ...deps,
    },
    { cluster: 'eu-1', coldImagePolicy: 'AllowAndScan', failurePolicy: 'Ignore', ...options },
  );
  return {
    reviewer,
    ...{ entries, events, wanted, metered, logged, facts },
    rows: (): readonly NewRow[] => entries.flatMap(({ rows }) => rows),
    counts(): Map<string, number> {
      const add = (name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void => {
        const key = [name, ...Object.values(labels)].join(' ');
        counted.set(key, (counted.get(key) ?? 0) + by);
      };
      tally.flush({ add });
      return counted;
    },
    /** Answers a review that must be answered with 200. */
    async ask(body: Buffer): Promise<Response> {
      const reply = await reviewer.review(body);
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body}`);
      const { response, apiVersion, kind } = JSON.parse(reply.body) as {
        response: Response;
        apiVersion: string;
        kind: string;
      };
      if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') throw new Error(reply.body);
      return response;
    },
  };
}
