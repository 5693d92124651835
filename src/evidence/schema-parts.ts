import { z } from 'zod';
import { STATES } from './attestations/attestation.ts';
import { ATTESTATION_IDS } from './attestations/index.ts';
import { FRAMEWORK_IDS } from './frameworks/ids.ts';

export const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/)
  .describe('RFC 3339 time in UTC');
export const count = z.int().min(0);
const hours = z.number().min(0);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const text = z.string().max(100_000);
export const maybe = text.nullable();
const state = z.enum(STATES);
export const absent = z.strictObject({ note: z.literal('not in this source') });
const json: z.ZodType = z.unknown();
const counts = z.record(z.string(), count);

export const table = { file: text };
export const period = z.strictObject({ from: time, to: time });

export const attestation = z.looseObject({
  id: z.enum(ATTESTATION_IDS as [string, ...string[]]),
  title: text,
  state,
  because: text,
  population: count,
  passed: count,
  failed: count,
});

const requirement = z.strictObject({
  id: text,
  title: text,
  state: z.enum([...STATES, 'out_of_scope']),
  why: text,
  attestations: z.array(text),
  tests: z.array(
    z.strictObject({ id: text, title: text, population: count, passed: count, failed: count, state }),
  ),
});

export const admissions = z.strictObject({
  file: text,
  sha256,
  rows: count,
  reconciled: count,
  unreviewed: count,
  admitted: count,
  denied: count,
  admitted_by_audit: count,
  bypassed: count,
  images: count,
  by_label: z.array(z.strictObject({ label: text, rows: count })),
  by_namespace: z.array(z.strictObject({ namespace: text, admitted: count, denied: count })),
  by_policy: z.array(z.strictObject({ policy: maybe, admitted: count, denied: count })),
});

export const coverage = z.strictObject({
  pods: z.strictObject({ ...table, decided: count, bypassed: count, exempt: count, unreviewed: count }),
  exempt_namespaces: z.array(text),
  rows: z.strictObject({
    ledger: count.nullable(),
    package: count,
    outside_period: count,
    left_out_by_request: count,
  }),
  answering: z
    .array(z.strictObject({ cluster: text, answered: count, not_answered: count, unknown: count }))
    .nullable(),
  clusters: z
    .array(z.strictObject({ name: text, last_row_at: time.nullable(), sent_nothing_since: time.nullable() }))
    .nullable(),
  days: z
    .array(
      z.strictObject({
        cluster: text,
        date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
        minutes_answered: count.nullable(),
        sweeps: count,
        partial_sweeps: count,
        accounted_sweeps: count,
        detector_events: count,
        detector_heartbeats: count,
      }),
    )
    .nullable(),
  recorded_since: z.array(z.strictObject({ record: text, cluster: text, at: time })).nullable(),
});

export const bypass = z.strictObject({
  row: count,
  time,
  review: maybe,
  cluster: maybe,
  namespace: maybe,
  pod: maybe,
  container: maybe,
  image: maybe,
  digest: maybe,
  requester: maybe,
  reason: maybe,
  policy: maybe,
  policy_revision: maybe,
  allowed_groups: z.array(text),
  judged_again_at: time.nullable(),
  triaged_at: time.nullable(),
});

export const triage = z.strictObject({
  ...table,
  total: count,
  active_at_end: count,
  by_severity: z.array(z.strictObject({ severity: text, decisions: count })),
  items: z.array(
    z.strictObject({
      id: count,
      digest: maybe,
      image: maybe,
      cve: maybe,
      severity: maybe,
      reason: maybe,
      decided_by: maybe,
      decided_at: time.nullable(),
      until: time.nullable(),
      ended_at: time.nullable(),
    }),
  ),
});

export const vulnerabilities = z.strictObject({
  ...table,
  total: count,
  known_exploited_while_running: count,
  older_than_the_record: count,
  by_severity: z.array(
    z.strictObject({
      severity: text,
      stood: count,
      raised: count,
      fixed: count,
      triaged: count,
      image_retired: count,
      platform_retired: count,
      open_at_end: count,
    }),
  ),
});

export const issues = z.strictObject({
  tracker_connected: z.boolean().nullable(),
  ...table,
  total: count,
  opened: count,
  open_at_end: count,
  closed_fixed: count,
  closed_triaged: count,
  closed_image_retired: count,
  retired_replaced: count,
  returned: count,
  fixed_inside_window: count,
  runtime: count,
  critical_window_hours: hours.nullable(),
  rows: z.array(
    z.strictObject({
      id: count,
      kind: text,
      cve: maybe,
      rule: maybe,
      digest: maybe,
      image: maybe,
      severity: maybe,
      tracker: maybe,
      issue: maybe,
      url: maybe,
      clusters: z.array(text),
      opened_at: time.nullable(),
      closed_at: time.nullable(),
      state: maybe,
      reason: maybe,
      hours_open: hours.nullable(),
      window_hours: hours.nullable(),
      inside_window: z.boolean().nullable(),
      returned_at: time.nullable(),
      superseded_by: maybe,
      successor_has_cve: z.boolean().nullable(),
    }),
  ),
});

export const runtime = z.strictObject({
  rules: z.array(
    z.strictObject({
      name: text,
      enabled: z.boolean(),
      action: text,
      match: json,
      effect: maybe,
      events: count,
    }),
  ),
  policies: z.array(z.strictObject({ name: text, enabled: z.boolean(), document: json })),
  events: count,
  joined: counts,
  by_effect: counts,
  stops: counts,
  decisions_total: count,
  decisions: z.array(z.record(z.string(), json)).max(500),
  raw: z.array(z.record(z.string(), json)).max(5000).nullable(),
});

export const mutes = z.strictObject({
  total: count,
  items: z
    .array(
      z.strictObject({
        id: count,
        channel: text,
        name: maybe,
        kind: maybe,
        reason: text,
        muted_at: time,
        until: time,
        ended_at: time.nullable(),
        muted_by: maybe,
        unmuted_by: maybe,
      }),
    )
    .max(1000),
});

export const declaration = z.strictObject({
  id: text,
  statement: text,
  declared_by: text,
  declared_at: time,
  valid_until: time.nullable(),
});

export const generation = z.strictObject({
  source: z.enum(['service', 'export']),
  service: text,
  scanner: z.strictObject({ name: text, version: maybe, database_at: time.nullable() }).nullable(),
  nodes: z.union([z.strictObject({ count: count.nullable(), ceiling: count.nullable() }), absent]),
  rescan_hours: hours,
  clock: time,
  key_id: sha256,
  public_key: maybe,
  request: z.strictObject({
    from: time,
    to: time,
    frameworks: z.array(z.enum(FRAMEWORK_IDS)),
    clusters: z.array(text),
    namespaces: z.array(text),
    include_runtime_raw: z.boolean(),
  }),
});

export const ledger = z.strictObject({
  rows: count,
  signed: count,
  first: count.nullable(),
  last: count.nullable(),
  verified: z.boolean(),
  tree: z.strictObject({ origin: text, size: count, root: text }).nullable(),
  key: maybe,
  anchors: z.union([z.array(z.strictObject({ sink: text, size: count, at: time, refused: maybe })), absent]),
});

export const policy = z.strictObject({
  name: text,
  revision: text,
  current: z.boolean(),
  enforcement: text,
  target_namespaces: z.array(text),
  critical_window: maybe,
  in_force: z.array(z.strictObject({ from: time, to: time.nullable() })).nullable(),
});

export const framework = z.strictObject({
  id: z.enum(FRAMEWORK_IDS),
  name: text,
  version: text,
  date: text,
  summary: z.strictObject({ met: count, partial: count, gap: count, out_of_scope: count }),
  requirements: z.array(requirement),
});
