import { randomUUID } from 'node:crypto';
import { labelOfSentence } from '../../src/decision/index.ts';
import { NO_FACTS } from '../../src/facts/index.ts';
import { Reviewer, ReviewTally, UNDECIDED, type ReviewerDeps } from '../../src/admission/index.ts';
import type { LedgerEntry, NewRow } from '../../src/ledger/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import { subjectOf, type DecisionCase } from './cases.ts';

/** Reviewed is the answer of the webhook to a case, in the words of `case.json`, with what it answered and recorded. */
export interface Reviewed {
  readonly answer: object;
  readonly allowed: boolean;
  readonly rows: readonly NewRow[];
}

/** Which field of a pod shows a signal; a pod that shows none says that it is not root. */
const SHOWS: Readonly<Record<string, object>> = {
  privileged: { container: { securityContext: { privileged: true } } },
  hostNamespace: { spec: { hostPID: true } },
  hostFilesystem: { spec: { volumes: [{ name: 'host', hostPath: { path: '/' } }] } },
  capabilities: { container: { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } } },
};

/**
 * throughWebhook sends a case as the API server would: a pod of one container that shows the signals of the case, in a review whose
 * requester has the groups of the case, under the policy of the case as if it enforced.
 */
export async function throughWebhook(c: DecisionCase): Promise<Reviewed> {
  const subject = subjectOf(c);
  const entries: LedgerEntry[] = [];
  const policy: Policy = {
    ...c.policy.policy,
    spec: { ...c.policy.policy.spec, enforcement: 'Enforce', workloadHardening: 'ignore' },
  };
  const policies = [policy];
  const facts = subject.facts === NO_FACTS ? null : subject.facts;
  const deps: ReviewerDeps = {
    policies: { current: () => policies, staleSince: () => null },
    facts: {
      known: (digest) => (digest === subject.digest ? facts : null),
      read: async () => facts,
      last: () => undefined,
    },
    // A tag resolves to the digest of the case.
    lookup: c.digest === null ? null : { digestOf: async () => ({ digest: c.digest as string }) },
    exposure: { of: () => c.exposed_by },
    names: { refusal: () => c.quota, admitted: () => {} },
    ledger: {
      append: async (entry) => {
        entries.push(entry);
        return { rows: [], repeat: false, delayed: false };
      },
    },
    scans: null,
    events: null,
    tally: new ReviewTally(),
    clock: { now: () => c.atMs },
    timers: { after: () => () => {} },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  };
  const reviewer = new Reviewer(deps, {
    cluster: 'shop-eu',
    coldImagePolicy: c.cold_image_policy,
    failurePolicy: 'Ignore',
  });
  const reply = await reviewer.review(Buffer.from(JSON.stringify(reviewOf(c))));
  const { response } = JSON.parse(reply.body) as { response: { allowed: boolean; warnings?: string[] } };
  const rows = entries.flatMap((entry) => entry.rows);
  const [row] = rows;
  if (reply.status !== 200 || row === undefined || rows.length !== 1)
    throw new Error(`${c.name}: ${reply.status} ${reply.body}, ${rows.length} rows`);
  return { answer: answerOf(row, response.warnings ?? []), allowed: response.allowed, rows };
}

function answerOf(row: NewRow, warnings: readonly string[]): object {
  const lacks = warnings.flatMap((warning) => warning.split(UNDECIDED)[1] ?? [])[0];
  if (lacks !== undefined) return { verdict: 'unknown', fact: lacks.split(' of ')[0] };
  if (row.allowed) return { verdict: 'admit', ...(row.break_glass === true && { break_glass: true }) };
  if (labelOfSentence(row.reason) !== row.label) throw new Error(`${row.reason} is not of ${row.label}`);
  // Why a break-glass did not count is said of the request, behind the sentence of the decision.
  const [sentence] = row.reason.split('; break-glass did not count: ');
  return { verdict: 'refuse', label: row.label, sentence };
}

function reviewOf(c: DecisionCase): object {
  const signals = c.signals ?? [];
  let container: Record<string, unknown> = { name: 'web', image: c.image };
  let spec: Record<string, unknown> = {};
  for (const signal of signals) {
    const shows = SHOWS[signal] as { container?: Record<string, object>; spec?: object } | undefined;
    const security = { ...(container.securityContext as object), ...shows?.container?.securityContext };
    container = { ...container, ...(shows?.container && { securityContext: security }) };
    spec = { ...spec, ...shows?.spec };
  }
  if (signals.includes('exposed') && c.exposed_by === null)
    container = { ...container, ports: [{ containerPort: 80, hostPort: 80 }] };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      namespace: c.namespace,
      operation: 'CREATE',
      userInfo: { username: 'jane@example.com', groups: c.break_glass?.groups ?? [] },
      object: {
        metadata: {
          name: 'web-6d5c8b9f4-x2x9k',
          ...(c.break_glass && { annotations: { 'ipo.dev/break-glass': c.break_glass.reason } }),
        },
        spec: {
          ...spec,
          securityContext: { runAsNonRoot: !signals.includes('root') },
          containers: [container],
        },
      },
    },
  };
}
