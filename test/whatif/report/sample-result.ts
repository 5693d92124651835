import type { ReportContext } from '../../../src/whatif/report/context.ts';
import type { ChangeGroup, Sample, SelfCheckResult, WhatIfResult } from '../../../src/whatif/result.ts';

const DAY = 86_400_000;
const AS_OF = Date.UTC(2026, 10, 20, 6);

/** HOSTILE are texts that a ledger could carry to break out of a report. */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/pixel.png)',
  '@everyone fixes #1 https://evil.example www.evil.example',
  'a\n::error::forged\r\n::set-output name=a::b',
  '\u001b[31mred\u001b[0m\u0007',
  '| pipe | and \\| escaped | ``` fence ` one',
  '-->]]></details></failure></testcase>',
  '\u202Egnp.exe\u2066',
  '\ud800 lone \udfff',
  'x'.repeat(300),
  '##vso[task.setvariable variable=a]b ##[error]c',
  '{0} %0A%25 {{x}}',
];

/** group makes a group of changed rows. */
export function group(fields: Partial<ChangeGroup> = {}): ChangeGroup {
  return {
    change: 'would_deny',
    namespace: 'shop',
    workload: 'cart',
    image: 'registry.example.com/shop/cart:1.14.2',
    label: 'threshold',
    reason: 'vulnerabilities at or above HIGH: CVE-2026-1001, CVE-2026-1002',
    rows: 1,
    newest: '2026-11-20T05:12:09Z',
    ...fields,
  };
}

/** sample makes a changed row. */
export function sample(fields: Partial<Sample> = {}): Sample {
  return {
    id: 4711,
    time: '2026-11-20T05:12:09Z',
    cluster: 'prod-1',
    namespace: 'shop',
    pod: 'cart-7d9f8b6c5-x2k9z',
    container: 'cart',
    image: 'registry.example.com/shop/cart:1.14.2',
    digest: `sha256:${'ab'.repeat(32)}`,
    change: 'would_deny',
    recorded: { allowed: true, label: null, reason: '', policy: 'prod-baseline' },
    draft: { allowed: false, label: 'threshold', reason: 'vulnerabilities at or above HIGH: CVE-2026-1001' },
    ...fields,
  };
}

/** emptyResult is the answer over a period without a covered row. */
export function emptyResult(fields: Partial<WhatIfResult> = {}): WhatIfResult {
  return {
    as_of: '2026-11-20T06:00:00Z',
    days: 30,
    limit: 5000,
    policy: { name: 'tighten-prod', revision: 'c0ffee'.repeat(10).padEnd(64, '0') },
    source: null,
    evaluated: 0,
    distinct_images: 0,
    break_glass_skipped: 0,
    truncated: false,
    unchanged: 0,
    would_deny: 0,
    would_allow: 0,
    would_deny_by_reason: {},
    would_allow_by_reason: {},
    samples: [],
    context: {
      mode: 'Ignore',
      signals: { privileged: 0, root: 0, hostNamespace: 0, hostFilesystem: 0, capabilities: 0, exposed: 0 },
      escalated_denials: 0,
      rows_without_context: 0,
    },
    not_evaluated: { count: 0, by_reason: {} },
    unscanned: [],
    unscanned_total: 0,
    baseline: {
      policy_effect: { would_deny: 0, would_allow: 0 },
      missing: 0,
      input_drift: 0,
      drift_unknown: 0,
    },
    groups: [],
    groups_total: 0,
    by_day: [],
    policy_changes: null,
    notes: ["Decisions use each image's scan record as it stands now, not as it stood at the admission."],
    inputs_digest: 'd1'.repeat(32),
    kept: false,
    run_id: null,
    ...fields,
  };
}

/** quietResult is an answer without a difference. */
export function quietResult(fields: Partial<WhatIfResult> = {}): WhatIfResult {
  return emptyResult({
    policy: { name: 'refactor', revision: 'ab'.repeat(32) },
    evaluated: 5000,
    unchanged: 5000,
    distinct_images: 61,
    by_day: [{ date: '2026-11-19', evaluated: 5000, would_deny: 0, would_allow: 0 }],
    policy_changes: [{ path: 'spec.breakGlass.groups', before: ['ops'], after: ['ops', 'platform'] }],
    ...fields,
  });
}

const WORKLOADS: readonly (readonly [
  workload: string,
  image: string,
  label: string,
  rows: number,
  reason: string,
])[] = [
  [
    'shop/cart',
    'registry.example.com/shop/cart:1.14.2',
    'threshold',
    64,
    'vulnerabilities at or above HIGH: CVE-2026-1001, CVE-2026-1002',
  ],
  [
    'shop/cart',
    'registry.example.com/shop/cart-sidecar@sha256:0f3c1f0d0c5e2bd4c1d1a2f9d3f64f5f9e27d6b2c1a7f0e9d8c7b6a594837261',
    'threshold',
    21,
    'vulnerabilities at or above HIGH: CVE-2026-1002',
  ],
  [
    'shop/recommendation-service-canary',
    'registry.example.com/shop/recommendation-service:2026.11.3-canary',
    'threshold',
    37,
    'vulnerabilities at or above HIGH: CVE-2025-9230, CVE-2025-9231, CVE-2025-4802, CVE-2026-0861, CVE-2026-0915',
  ],
  [
    'payments/ledger-writer',
    'ghcr.io/example/payments/ledger-writer:v8',
    'threshold',
    16,
    'vulnerabilities at or above HIGH: CVE-2024-3094',
  ],
  [
    'shop/search',
    'docker.io/library/elasticsearch:8.11.1',
    'registry',
    29,
    'registry not allowed: docker.io/library/elasticsearch',
  ],
  [
    'batch/nightly-report',
    'quay.io/example/report:latest',
    'tag',
    11,
    'tag latest not allowed: quay.io/example/report:latest',
  ],
  [
    'edge/gateway',
    'registry.example.com/edge/gateway:5.1',
    'context',
    24,
    'context exposed by Ingress edge/public: vulnerabilities at or above MEDIUM: CVE-2025-5222',
  ],
  [
    'legacy/billing',
    'registry.example.com/legacy/billing:3',
    'end_of_life',
    12,
    'end of life OS: debian 10.13',
  ],
];

/** fullResult is an answer with every part filled. */
export function fullResult(fields: Partial<WhatIfResult> = {}): WhatIfResult {
  const groups = [
    ...WORKLOADS.map(([path, image, label, rows, reason], i) => {
      const [namespace = '', workload = ''] = path.split('/');
      return group({
        namespace,
        workload,
        image,
        label,
        rows,
        reason,
        newest: new Date(AS_OF - i * 7_310_000).toISOString(),
      });
    }),
    group({
      change: 'would_allow',
      namespace: 'tools',
      workload: 'debug-shell',
      image: 'registry.example.com/tools/debug:0.3',
      label: 'known_exploited',
      rows: 9,
      reason: 'known exploited: CVE-2024-3094',
    }),
    group({
      change: 'would_allow',
      namespace: 'tools',
      workload: null,
      image: 'registry.example.com/tools/probe:1',
      label: 'other',
      rows: 3,
      reason: 'refused by hand',
    }),
  ].toSorted((a, b) => b.rows - a.rows);
  const byDay = Array.from({ length: 29 }, (_, i) => ({
    date: new Date(AS_OF - (29 - i) * DAY).toISOString().slice(0, 10),
    evaluated: 120 + ((i * 53) % 90) - (i % 7 > 4 ? 80 : 0),
    would_deny: i < 26 ? (i * 5) % 13 : 20 + i,
    would_allow: i % 9 === 4 ? 4 : 0,
  }));
  return emptyResult({
    source: 'prod-baseline',
    evaluated: 5000,
    distinct_images: 61,
    break_glass_skipped: 4,
    truncated: true,
    unchanged: 4774,
    would_deny: 214,
    would_allow: 12,
    would_deny_by_reason: { registry: 29, tag: 11, threshold: 138, end_of_life: 12, context: 24 },
    would_allow_by_reason: { known_exploited: 9, other: 3 },
    samples: [
      sample(),
      sample({
        id: 4710,
        change: 'would_allow',
        recorded: {
          allowed: false,
          label: 'known_exploited',
          reason: 'known exploited: CVE-2024-3094',
          policy: 'prod-baseline',
        },
        draft: { allowed: true, label: null, reason: '' },
      }),
    ],
    context: {
      mode: 'Escalate',
      signals: {
        privileged: 12,
        root: 1841,
        hostNamespace: 3,
        hostFilesystem: 41,
        capabilities: 77,
        exposed: 512,
      },
      escalated_denials: 24,
      rows_without_context: 310,
      note: '310 rows were recorded before the deployment context was (migration 0020) and were replayed with no context.',
    },
    not_evaluated: { count: 9, by_reason: { reference_invalid: 2, signatures_unknown: 7 } },
    unscanned: Array.from({ length: 12 }, (_, i) => ({
      digest: `sha256:${String(i).padStart(2, '0').repeat(32)}`,
      image: `registry.example.com/new/service-${i}:0.${i}`,
      rows: 40 - i,
    })),
    unscanned_total: 12,
    baseline: {
      policy_effect: { would_deny: 180, would_allow: 3 },
      missing: 4,
      input_drift: 34,
      drift_unknown: 120,
    },
    groups,
    groups_total: groups.length + 3,
    by_day: byDay,
    policy_changes: [
      { path: 'spec.severityThreshold', before: 'CRITICAL', after: 'HIGH' },
      {
        path: 'spec.allowedRegistries',
        before: ['docker.io', 'ghcr.io/example', 'registry.example.com'],
        after: ['ghcr.io/example', 'quay.io/example', 'registry.example.com'],
      },
      { path: 'spec.denyLatestTag', before: false, after: true },
      { path: 'spec.deploymentContext.mode', before: 'Ignore', after: 'Escalate' },
      { path: 'spec.sla.critical', before: null, after: '24h' },
    ],
    notes: [
      "Decisions use each image's scan record as it stands now, not as it stood at the admission.",
      'Only the newest 5000 covered rows were decided; older ones in the period were left out.',
      'Break-glass admissions are counted and not replayed.',
    ],
    ...fields,
  });
}

/** hostileResult puts a text wherever a ledger or a draft can put one, and fills every list to its limit. */
export function hostileResult(text: string, count = 100): WhatIfResult {
  const many = Array.from({ length: count }, (_, i) => `${text}${i}`);
  const label = text.slice(0, 120);
  return fullResult({
    policy: { name: text, revision: text },
    source: text,
    would_deny_by_reason: {
      threshold: 1_000_000_000_000,
      ...Object.fromEntries(many.map((name) => [name, 1])),
    },
    would_allow_by_reason: { [label]: 12, ...Object.fromEntries(many.map((name) => [`allow ${name}`, 3])) },
    groups: many.map((name, i) =>
      group({
        change: i % 2 === 0 ? 'would_deny' : 'would_allow',
        namespace: name,
        workload: name,
        image: name,
        label: i % 3 === 0 ? 'threshold' : name,
        reason: name,
        newest: i % 2 === 0 ? name : '2026-11-20T05:12:09Z',
      }),
    ),
    groups_total: 1_000_000,
    samples: many.map((name) =>
      sample({
        time: name,
        cluster: name,
        namespace: name,
        pod: name,
        container: name,
        image: name,
        recorded: { allowed: true, label: name, reason: name, policy: name },
      }),
    ),
    not_evaluated: { count: 7, by_reason: Object.fromEntries(many.map((name) => [name, 1])) },
    unscanned: many.map((name) => ({ digest: name, image: name, rows: 2 })),
    unscanned_total: 10_000,
    policy_changes: many.map((name) => ({ path: `spec.${name}`, before: [name, `${name}x`], after: many })),
    notes: many,
  });
}

/** reportContext is a context over a file in which each field has a line of its own. */
export function reportContext(fields: Partial<ReportContext> = {}): ReportContext {
  const lines: Readonly<Record<string, number>> = {
    'metadata.name': 4,
    spec: 5,
    'spec.severityThreshold': 6,
    'spec.allowedRegistries': 9,
    'spec.denyLatestTag': 14,
    'spec.deploymentContext.mode': 16,
  };
  return {
    file: 'policies/tighten.yaml',
    version: '0.0.0',
    checks: [],
    placeOf: (path) => ({ line: lines[path] ?? 1, column: path === 'spec' ? 1 : 3 }),
    ...fields,
  };
}

/** selfCheck is the answer of a self-check. */
export function selfCheck(fields: Partial<SelfCheckResult> = {}): SelfCheckResult {
  return {
    as_of: '2026-11-20T06:00:00Z',
    days: 30,
    limit: 5000,
    checked: 5000,
    reproduced: 4800,
    inputs_changed: 150,
    mismatch: 0,
    unknown: 50,
    break_glass_skipped: 4,
    truncated: false,
    mismatches: [],
    ...fields,
  };
}
