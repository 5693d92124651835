/**
 * A second computation of every attestation, written without the code of the first: over the tables and rows of a package as an
 * auditor would read them. It shares no code with what it checks.
 */
export interface OracleInput {
  readonly from: number;
  readonly to: number;
  readonly madeAt: number;
  readonly rows: readonly Record<string, unknown>[];
  readonly policies: readonly {
    name: string;
    revision: string;
    current: boolean;
    in_force?: { from: string; until: string | null }[];
    document: { spec: Spec };
  }[];
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, string>>[] | null>>;
  readonly exempt: readonly string[];
  readonly tracker: boolean | null;
  readonly days:
    | readonly { cluster: string; date: string; detector_events: number; detector_heartbeats: number }[]
    | null;
  readonly detectorSince: number | null;
  /** Since when sweeps of the one cluster are recorded. */
  readonly sweptSince: number | null;
  readonly anchors: readonly { size: number; refused: string | null }[] | null;
  readonly ledger: { rows: number; signed: number; holds: boolean };
  readonly rescanHours: number;
}

export type OracleStates = Record<string, { state: string; population: number; passed: number }>;

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const HOUR = 3_600_000;
const time = (text: unknown): number =>
  text === '' || text === null || text === undefined ? NaN : Date.parse(text as string);

export function oracle(input: OracleInput): OracleStates {
  return {
    'remediation-windows': remediation(input),
    'patch-window-48-hours': patch(input, 48, (f) =>
      exploited(f, input) ? Math.max(time(f.exploited_at), time(f.first_seen_at)) : null,
    ),
    'patch-window-two-weeks': patch(input, 14 * 24, (f) =>
      ['CRITICAL', 'HIGH'].includes(f.worst ?? '') &&
      f.fixable_at !== '' &&
      time(f.fixable_at) <= input.to &&
      !exploited(f, input)
        ? Math.max(time(f.fixable_at), time(f.first_seen_at))
        : null,
    ),
    'runtime-observed': runtime(input),
    'producer-statement-honoured': revisions(
      input,
      () => true,
      (s) => s.vex?.mode === 'apply' && (s.vex?.trustedIssuers ?? []).length > 0,
    ),
    'context-aware-thresholds': revisions(
      input,
      (s) => s.enforcement === 'Enforce',
      (s) => s.deploymentContext?.mode === 'Escalate',
    ),
    'admission-enforced': enforced(input),
    'ledger-intact': intact(input),
    'images-signed': gate(input, (s) => s.signature?.required === true),
    'provenance-required': gate(input, (s) => (s.provenance?.minLevel ?? 0) >= 1),
    'known-exploited-handled': gate(input, (s) => s.knownExploited === 'block'),
    'end-of-life-handled': gate(input, (s) => s.endOfLifeOS === 'block'),
    'break-glass-accounted-for': bypasses(input),
    'scan-coverage': scans(input),
  };
}

function verdict(population: number, passed: number, failed: number) {
  if (population === 0) return { state: 'partial', population, passed };
  const state = passed === population ? 'met' : passed === 0 && failed > 0 ? 'gap' : 'partial'; // eslint-disable-line no-nested-ternary
  return { state, population, passed };
}

const absent = { state: 'partial', population: 0, passed: 0 };

type Spec = Record<string, any>; // eslint-disable-line typescript/no-explicit-any

function exploited(f: Readonly<Record<string, string>>, { to }: OracleInput): boolean {
  return f.exploited_while_running_at !== '' && time(f.exploited_while_running_at) <= to;
}

function patch(
  input: OracleInput,
  hours: number,
  begins: (f: Readonly<Record<string, string>>) => number | null,
) {
  const all = input.tables['vulnerabilities.csv'];
  if (all === null || all === undefined) return absent;
  let [population, passed, failed] = [0, 0, 0];
  for (const f of all) {
    const begin = begins(f);
    if (begin === null) continue;
    population += 1;
    const due = begin + hours * HOUR;
    const replaced = f.ended === 'image_retired' && f.superseded_by !== '';
    const counts =
      f.ended === 'fixed' || f.ended === 'triaged' || (replaced && f.successor_has_cve === 'false');
    const mayCount = counts || (replaced && f.successor_has_cve === '');
    const inTime = f.ended_at !== '' && time(f.ended_at) <= due;
    if (counts && inTime && f.older !== 'true') passed += 1;
    else if (f.ended_at === '' && due > input.madeAt) continue;
    else if (!(mayCount && inTime)) failed += 1;
  }
  return verdict(population, passed, failed);
}

function remediation(input: OracleInput) {
  const windows = input.policies.some((p) => p.document.spec.sla?.critical !== undefined && stood(p, input));
  const issues = input.tables['issues.csv'];
  const raised = (issues ?? []).filter(
    (i) => i.kind === 'finding' && time(i.opened_at) >= input.from && time(i.opened_at) <= input.to,
  );
  const fixed = raised.filter((i) => i.reason === 'fixed');
  const inside = fixed.filter(
    (i) => i.window_hours !== '' && time(i.closed_at) - time(i.opened_at) <= Number(i.window_hours) * HOUR,
  ).length;
  const figures = { population: fixed.length, passed: inside };
  if (!windows) return { state: 'gap', ...figures };
  if (issues === null || issues === undefined || input.tracker !== true || fixed.length === 0)
    return { state: 'partial', ...figures };
  if (inside === 0) return { state: 'gap', ...figures };
  return { state: inside === fixed.length ? 'met' : 'partial', ...figures };
}

function stood(policy: OracleInput['policies'][number], { from, to }: OracleInput): boolean {
  if (policy.in_force === undefined) return true;
  return policy.in_force.some(
    (stay) => time(stay.from) <= to && (stay.until === null || time(stay.until) > from),
  );
}

function runtime(input: OracleInput) {
  if (input.days === null) return absent;
  let [population, passed, failed] = [0, 0, 0];
  for (let day = Math.floor(input.from / (24 * HOUR)); day <= Math.floor(input.to / (24 * HOUR)); day += 1) {
    population += 1;
    const date = new Date(day * 24 * HOUR).toISOString().slice(0, 10);
    const clusters = input.days.filter((one) => one.date === date);
    const signs = clusters.filter((one) => one.detector_events > 0 || one.detector_heartbeats > 0);
    if (clusters.length > 0 && signs.length === clusters.length) passed += 1;
    else if (signs.length > 0 || (day + 1) * 24 * HOUR > (input.detectorSince ?? Infinity)) failed += 1;
  }
  return verdict(population, passed, failed);
}

/** Rows of the period, the oldest first. */
function reviewed(input: OracleInput) {
  return input.rows
    .filter((row) => time(row['time']) >= input.from && time(row['time']) <= input.to)
    .toReversed();
}

function specsOver(input: OracleInput, row: Record<string, unknown>): Spec[] {
  const at = time(row['time']);
  const namespace = text(row['namespace']);
  return input.policies
    .filter((p) => {
      if (p.revision === row['policy_revision']) return true;
      const targets = (p.document.spec['targetNamespaces'] ?? []) as string[];
      const isThen = (p.in_force ?? []).some(
        (stay) => time(stay.from) <= at && (stay.until === null || at < time(stay.until)),
      );
      return isThen && (targets.length === 0 || targets.includes(namespace));
    })
    .map((p) => p.document.spec);
}

function gate(input: OracleInput, asks: (spec: Spec) => boolean) {
  let [population, passed] = [0, 0];
  for (const row of reviewed(input)) {
    const isReview = (row['kind'] ?? 'review') === 'review';
    if (!isReview || row['review_allowed'] !== true || row['image'] === null) continue;
    population += 1;
    const asked = specsOver(input, row).some((s) => s.enforcement === 'Enforce' && asks(s));
    if (asked && row['break_glass'] !== true) passed += 1;
  }
  return verdict(population, passed, population - passed);
}

function enforced(input: OracleInput) {
  const pods = (input.tables['pods.csv'] ?? []).filter((pod) => pod.decision !== 'exempt');
  const byReview = Map.groupBy(reviewed(input), (row) => text(row['review_uid'] ?? `row ${text(row['id'])}`));
  let [population, passed] = [0, 0];
  for (const rows of byReview.values()) {
    const [row = {}] = rows;
    const kind = row['kind'] ?? 'review';
    if (kind === 'reconcile' || (kind === 'review' && row['review_allowed'] !== true)) continue;
    const namespace = text(row['namespace']);
    const isBypassed = rows.some((one) => one['break_glass'] === true);
    if (kind === 'review' && !isBypassed && input.exempt.includes(namespace)) continue;
    population += 1;
    const isEnforced = rows.every((one) => specsOver(input, one).some((s) => s.enforcement === 'Enforce'));
    if (kind === 'review' && isEnforced && !isBypassed) passed += 1;
  }
  if (pods.length !== population)
    throw new Error(`pods.csv has ${pods.length} pods outside of exempt namespaces, the rows ${population}`);
  const began = input.sweptSince ?? Infinity;
  return shown(
    verdict(population, passed, population - passed),
    pods.every((pod) => time(pod.time) >= began),
  );
}

/** What is not known, as it lies before its record, is never met. */
function shown<T extends { state: string }>(found: T, isKnown: boolean): T {
  return found.state === 'met' && !isKnown ? { ...found, state: 'partial' } : found;
}

function revisions(input: OracleInput, isMeant: (spec: Spec) => boolean, does: (spec: Spec) => boolean) {
  const named = new Set(reviewed(input).map((row) => row['policy_revision']));
  const all = input.policies
    .filter((p) => (p.in_force !== undefined && stood(p, input)) || named.has(p.revision))
    .map((p) => p.document.spec)
    .filter(isMeant);
  const passed = all.filter(does).length;
  return verdict(all.length, passed, all.length - passed);
}

function intact({ ledger, anchors }: OracleInput) {
  const figures = { population: ledger.rows, passed: ledger.holds ? ledger.signed : 0 };
  if (!ledger.holds || (anchors ?? []).some((anchor) => anchor.refused !== null))
    return { state: 'gap', ...figures };
  const isWhole =
    ledger.rows > 0 && ledger.signed === ledger.rows && (anchors ?? []).some((anchor) => anchor.size > 0);
  return { state: isWhole ? 'met' : 'partial', ...figures };
}

function bypasses(input: OracleInput) {
  const rows = reviewed(input);
  const triage = input.tables['triage.csv'] ?? [];
  const bypassed = Map.groupBy(
    rows.filter((row) => row['break_glass'] === true),
    (row) => text(row['review_uid'] ?? `row ${text(row['id'])}`),
  );
  let [population, passed, failed] = [0, 0, 0];
  for (const images of bypassed.values()) {
    population += 1;
    const isNamed = images.every((row) => Boolean(row['break_glass_reason']) && Boolean(row['requester']));
    const open = images.filter((row) => {
      const at = time(row['time']);
      const limit = at + 7 * 24 * HOUR;
      const again = input.rows.some(
        (other) =>
          other['digest'] === row['digest'] &&
          row['digest'] !== null &&
          other['break_glass'] !== true &&
          other['kind'] !== 'unreviewed' &&
          Number(other['id']) > Number(row['id']) &&
          other['review_uid'] !== row['review_uid'] &&
          time(other['time']) <= limit,
      );
      const triaged = triage.some(
        (one) => one.digest === row['digest'] && time(one.decided_at) >= at && time(one.decided_at) <= limit,
      );
      return !again && !triaged;
    });
    if (isNamed && open.length === 0) passed += 1;
    else if (
      !isNamed ||
      !open.every((row) => time(row['time']) + 7 * 24 * HOUR > Math.min(input.to, input.madeAt))
    )
      failed += 1;
  }
  return verdict(population, passed, failed);
}

function scans(input: OracleInput) {
  const images = input.tables['images.csv'];
  if (images === null || images === undefined) return absent;
  const hours = Math.max(24, input.rescanHours);
  const passed = images.filter(
    (one) => one.scanned_at !== '' && time(one.last_seen_at) - time(one.scanned_at) <= hours * HOUR,
  ).length;
  const isKnown = Math.floor(input.from / (24 * HOUR) + 1) * 24 * HOUR > (input.sweptSince ?? Infinity);
  return shown(verdict(images.length, passed, images.length - passed), isKnown);
}
