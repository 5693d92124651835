import { EARLY_RELEASES } from './early.ts';
import { release, type Release } from './release.ts';

/** RELEASES are all releases, the newest first. What a release brought is history: an entry is never changed. */
export const RELEASES: readonly Release[] = [
  release({
    version: '1.3.7',
    date: '2026-10-15',
    migrations: [33, 35],
    substance:
      'Build on newer toolchain and network library. The webhook also receives the ephemeral-containers subresource (needs the chart upgrade); only the added container is decided, it is not metered, and its ledger reason ends in "; subresource ephemeralcontainers". Images tiles have four exclusive states. Blocked follows the last review (filled from the ledger on upgrade). What-if runs kept and downloadable. What-if on each policy row. Scan-now for unscanned images. The source field, rate limit 10 per minute per replica. Migrations 0033 to 0035 (0033 adds the what-if table, 0034 adds two columns to images, 0035 fills them).',
    chart: 'the webhook receives the ephemeral-containers subresource only with the rules of its chart',
  }),
  release({
    version: '1.3.6',
    date: '2026-10-08',
    substance:
      'Refused admissions no longer count as pods. Event action filter with five effects: Allow, Record, Notify, Open an issue, Stop the pod (effect= on the events API). Policy form defaults: SLA windows 24h, 168h, 720h, 2160h; triage 2160h. kev_state has checked_at. No migrations.',
  }),
  release({
    version: '1.3.5',
    date: '2026-10-08',
    substance:
      "Hotfix for display. Evidence report carries runtime.rules[].effect and runtime.decisions[].policy_effect. Pod stops by a runtime policy appear as policy:<name>. The chart's clusterName is used wherever a cluster name is shown. An Update now button triggers a database refresh. No migrations.",
  }),
  release({
    version: '1.3.4',
    date: '2026-10-08',
    substance:
      'Break-glass details read from the policy revision in force at the time. Triage severity from scan findings, highest when several. Duration comparison normalised (168h0m0s equals 168h).',
  }),
  release({ version: '1.3.3', date: '2026-10-07', substance: 'Migrations run under a database lock.' }),
  release({
    version: '1.3.2',
    date: '2026-10-03',
    substance:
      'Detector-rule chart values must keep the default rules reference, because a list replaces rather than merges. Text corrections.',
    repeatedValues: [
      {
        name: 'falco.rules_files',
        note: 'your list replaces the default list of the Falco chart, so keep the default rules file /etc/falco/falco_rules.yaml in it',
      },
    ],
  }),
  release({
    version: '1.3.1',
    date: '2026-10-03',
    migrations: [26, 32],
    substance:
      'Runtime blocks removed (migration 0031). Stop-the-pod added. Migrations 0026 to 0032. Audit log paged. Images and vulnerabilities lists paged. The console rule editor (beta). Relay connection mode. Licence framework choice. Backup history. Nodes card. Lapsed-licence usage fixes.',
    newValues: ['integrations.detector.connection'],
    refused: [
      {
        name: 'spec.runtime',
        note: 'a policy with this field is refused: unknown field "spec.runtime"; take it out and write a RuntimePolicy',
      },
      {
        name: 'action: block',
        note: 'a runtime rule with the action block is refused; use notify, or a RuntimePolicy that stops the pod',
      },
    ],
  }),
  release({
    version: '1.3.0',
    date: '2026-10-01',
    migrations: [25, 25],
    substance:
      'Node ceiling with 14-day grace and four node events. Certificate must carry the node ceiling. Migration 0025. Evidence generation block carries nodes with count (null when never counted) and ceiling.',
    newValues: ['nodes.pollInterval', 'nodes.graceDays'],
    refused: [
      {
        name: 'licence certificate without a node ceiling',
        note: 're-activate with a key issued by licence service 1.3.0 or later',
      },
    ],
  }),
  release({
    version: '1.2.0',
    date: '2026-09-30',
    migrations: [21, 24],
    substance:
      'Migrations 0021 to 0024. Detector over mutual TLS. Runtime rules and blocks. Every event stored. Evidence package gains runtime section, per-requirement tests[], a generation block, admission records without a cap, and organisation.declarations. Person fields become user:<account_id>. User deletion disables the account; anonymise added. The report object carries the scan.',
    chart: 'the detector is heard on a listener of its own, whose Service and Secret the chart makes',
    newValues: ['integrations.port', 'integrations.detector.enabled', 'runtime.retentionDays'],
    unreadValues: [
      {
        name: 'integrations.detector.existingSecret',
        note: 'the bearer token of the detector is gone; it shows the client certificate of the Secret <release>-detector-mtls',
      },
      {
        name: 'integrations.detector.minPriority',
        note: 'every event is stored; a runtime rule says by its match from which priority on it acts',
      },
    ],
    refused: [
      {
        name: 'POST /api/v1/integrations/detector',
        note: 'not served any more; events come to the listener of the port integrations.port',
      },
    ],
  }),
  release({
    version: '1.1.1',
    date: '2026-09-16',
    substance:
      'Offline activation by certificate. Deactivate button. Mirrored catalogue support (kev.existingConfigMap, kev.source as file:///etc/kev/<key>, gzip allowed). Offline keyless checks return unverifiable at once.',
    newValues: ['kev.existingConfigMap', 'kev.source'],
  }),
  release({
    version: '1.1.0',
    date: '2026-09-10',
    migrations: [13, 20],
    substance:
      'Migrations 0013 to 0020. Deployment context. Tracker channels. Tracker credential encryption. Runtime alerts ingestion. End-of-life OS gate. Known-exploited gate. Provenance gate. VEX. What-if replay. Five more compliance frameworks (thirteen total). Five new attestations: patch-window-48-hours, patch-window-two-weeks, runtime-observed, producer-statement-honoured, context-aware-thresholds. The chart role gains read access to Services and Ingresses.',
    chart: 'the role of the chart gains read access to Services and Ingresses',
    newValues: ['api.dataKey.existingSecret'],
  }),
  ...EARLY_RELEASES,
];

/** NEWEST is the newest of them. */
export const NEWEST: string = RELEASES[0]?.version ?? '';

/** findRelease gives the release of a version, written with or without a leading `v`; null when there is none. */
export function findRelease(version: string): Release | null {
  const bare = version.replace(/^v/, '');
  return RELEASES.find((one) => one.version === bare) ?? null;
}

/** releasesBetween gives the releases that lie above `from` and up to `to`, the oldest first: those that an upgrade goes over. */
export function releasesBetween(from: Release, to: Release): readonly Release[] {
  return RELEASES.slice(RELEASES.indexOf(to), RELEASES.indexOf(from)).toReversed();
}
