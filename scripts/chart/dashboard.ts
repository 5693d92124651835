/** A series of the service; a test holds that there is one of this name. */
type Series = `svc_${string}`;

/** Panel is one picture: a title, the unit of its axis, and queries with their legends. */
interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat';
  readonly unit: string;
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  readonly description?: string;
}

/** The series of the chosen release. */
const of = (name: Series, more = ''): string =>
  `${name}{namespace=~"$namespace", service=~"$service"${more}}`;
const rate = (name: Series, by: string): readonly [string, string] => [
  `sum by (${by}) (rate(${of(name)}[$__rate_interval]))`,
  `{{${by}}}`,
];
const quantile = (name: Series): string =>
  `histogram_quantile(0.99, sum by (le) (rate(${of(name)}[$__rate_interval])))`;

const ROWS: readonly (readonly [title: string, panels: readonly Panel[]])[] = [
  [
    'Admission',
    [
      {
        title: 'Reviews',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_admission_reviews_total', 'outcome')],
      },
      {
        title: 'Time of a review, 99th percentile',
        kind: 'timeseries',
        unit: 's',
        queries: [[quantile('svc_admission_review_seconds_bucket'), 'p99']],
      },
      {
        title: 'Pods that no review recorded',
        kind: 'stat',
        unit: 'short',
        description: 'Found by the sweeps: started while no replica answered',
        queries: [[`sum(increase(${of('svc_reconcile_unreviewed_total')}[$__range]))`, 'pods']],
      },
      {
        title: 'Denials',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_admission_denials_total', 'reason')],
      },
      {
        title: 'Signals of the deployment context',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_admission_context_total', 'signal')],
      },
      {
        title: 'Replays of drafts',
        kind: 'stat',
        unit: 'short',
        queries: [[`sum(increase(${of('svc_policy_whatif_runs_total')}[$__range]))`, 'replays']],
      },
    ],
  ],
  [
    'Ledger',
    [
      { title: 'Rows', kind: 'stat', unit: 'short', queries: [[`max(${of('svc_ledger_size')})`, 'rows']] },
      {
        title: 'Age of the newest checkpoint',
        kind: 'stat',
        unit: 's',
        queries: [[`max(${of('svc_ledger_checkpoint_age_seconds')})`, 'age']],
      },
      {
        title: 'Rows appended',
        kind: 'timeseries',
        unit: 'ops',
        queries: [[`sum(rate(${of('svc_ledger_rows_total')}[$__rate_interval]))`, 'rows']],
      },
      {
        title: 'Rows that wait',
        kind: 'timeseries',
        unit: 'short',
        description: 'Rows in the queue of their transaction, and in the spool while the database is away',
        queries: [
          [`sum(${of('svc_ledger_queue_rows')})`, 'queue'],
          [`sum(${of('svc_ledger_spool_rows')})`, 'spool'],
        ],
      },
      {
        title: 'Reviews that nothing recorded',
        kind: 'timeseries',
        unit: 'short',
        queries: [
          [
            `sum by (reason) (increase(${of('svc_ledger_unrecorded_total')}[$__rate_interval]))`,
            '{{reason}}',
          ],
        ],
      },
    ],
  ],
  [
    'Trackers',
    [
      {
        title: 'Issues opened',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_issues_opened_total', 'provider')],
      },
      {
        title: 'Issues closed',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_issues_closed_total', 'reason')],
      },
      {
        title: 'Findings without an issue',
        kind: 'timeseries',
        unit: 'ops',
        description: 'dedup is normal on every rescan; a rising error means that the tracker is refusing',
        queries: [rate('svc_issues_skipped_total', 'reason')],
      },
    ],
  ],
  [
    'Cluster',
    [
      {
        title: 'Nodes',
        kind: 'timeseries',
        unit: 'short',
        description: 'A ceiling of -1 is none',
        queries: [[`max by (kind) (${of('svc_nodes')})`, '{{kind}}']],
      },
      {
        title: 'Replicas that lead',
        kind: 'stat',
        unit: 'short',
        queries: [[`sum(${of('svc_leader')})`, 'leaders']],
      },
      {
        title: 'Days until the webhook’s certificate ends',
        kind: 'stat',
        unit: 'short',
        queries: [[`(min(${of('svc_webhook_certificate_not_after_seconds')}) - time()) / 86400`, 'days']],
      },
    ],
  ],
  [
    'Runtime',
    [
      {
        title: 'Events of the detector',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_runtime_events_total', 'priority')],
      },
      {
        title: 'Events that were not kept',
        kind: 'timeseries',
        unit: 'ops',
        description: 'Falco sends nothing twice; `unauthorised` are callers that were refused',
        queries: [rate('svc_runtime_events_dropped_total', 'reason')],
      },
      {
        title: 'Decisions of runtime rules',
        kind: 'timeseries',
        unit: 'ops',
        queries: [rate('svc_runtime_rule_matches_total', 'rule')],
      },
      {
        title: 'Alerts that channels were told',
        kind: 'stat',
        unit: 'short',
        queries: [[`sum(increase(${of('svc_runtime_alerts_notified_total')}[$__range]))`, 'alerts']],
      },
    ],
  ],
  [
    'Service',
    [
      {
        title: 'Database',
        kind: 'stat',
        unit: 'bool_on_off',
        queries: [[`min(${of('svc_database_up')})`, 'answers']],
      },
      {
        title: 'API, 99th percentile',
        kind: 'timeseries',
        unit: 's',
        queries: [[quantile('svc_http_request_seconds_bucket'), 'p99']],
      },
      {
        title: 'Jobs that failed',
        kind: 'timeseries',
        unit: 'short',
        queries: [
          [
            `sum by (exported_job) (increase(${of('svc_job_runs_total', ', outcome="failed"')}[$__rate_interval]))`,
            '{{exported_job}}',
          ],
        ],
      },
    ],
  ],
];

const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** dashboardJson is the Grafana dashboard of the chart. */
export function dashboardJson(): string {
  let y = 0;
  let id = 0;
  const panels = ROWS.flatMap(([title, inner]) => {
    const row = {
      type: 'row',
      title,
      id: ++id,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    };
    y += 1;
    const drawn = inner.map((panel, at) => {
      const gridPos = { x: (at % 3) * 8, y: y + Math.floor(at / 3) * 8, w: 8, h: 8 };
      return draw(panel, ++id, gridPos);
    });
    y += Math.ceil(inner.length / 3) * 8;
    return [row, ...drawn];
  });
  const dashboard = {
    title: 'Image-policy operator',
    uid: 'image-policy-operator',
    tags: ['image-policy-operator'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-24h', to: 'now' },
    refresh: '1m',
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        variable('namespace', 'label_values(svc_build_info, namespace)'),
        variable('service', 'label_values(svc_build_info{namespace=~"$namespace"}, service)'),
      ],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function variable(name: string, query: string): Readonly<Record<string, unknown>> {
  return { name, type: 'query', datasource: SOURCE, query, refresh: 2, includeAll: true, multi: true };
}

function draw(panel: Panel, id: number, gridPos: object): Readonly<Record<string, unknown>> {
  const { title, kind, unit, queries, description } = panel;
  return {
    id,
    type: kind,
    title,
    ...(description !== undefined && { description }),
    datasource: SOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options:
      kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { legend: { displayMode: 'list' } },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCodePoint(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  };
}
