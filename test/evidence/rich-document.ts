import fc from 'fast-check';
import { formatTime } from '../../src/base/index.ts';
import type { EvidenceDocument } from '../../src/evidence/index.ts';
import { DAY, documentOf, FROM, sourceOf, TO, worlds } from './source.ts';

const time = (days: number): string => formatTime(FROM + days * DAY);
const account = (n: number): string => `user:${String.fromCharCode(97 + (n % 26)).repeat(16)}`;
const digest = (n: number): string => `sha256:${String(n % 10).repeat(64)}`;

/** richDocument is `evidence.json` of a service in which everything happened this many times; lists are cut as packages cut them. */
export async function richDocument(count: number): Promise<EvidenceDocument> {
  const [world] = fc.sample(worlds, { seed: 3, numRuns: 1 });
  if (world === undefined) throw new Error('no world');
  const base = await documentOf(sourceOf(world));
  const each = <T>(most: number, to: (n: number) => T): T[] =>
    Array.from({ length: Math.min(count, most) }, (_, n) => to(n));
  const events = count * 5;
  return {
    ...base,
    organisation: {
      ...{ name: 'Example Shop', contact: 'security@shop.example' },
      declarations: each(Infinity, (n) => ({
        id: `d${n}`,
        statement: `Statement ${n}: all clusters report here.`,
        ...{ declared_by: account(n), declared_at: time(2), valid_until: '2027-01-01T00:00:00Z' },
      })),
    },
    policies: each(Infinity, (n) => ({
      ...{ name: `policy-${n}`, revision: String(n).padStart(64, '0'), current: n % 2 === 0 },
      ...{
        enforcement: n % 2 === 0 ? 'Enforce' : 'Audit',
        target_namespaces: n % 2 === 0 ? [] : ['shop', 'pay'],
      },
      critical_window: n % 2 === 0 ? '24h' : null,
      in_force:
        n % 2 === 0
          ? [{ from: time(1), to: null }]
          : [
              { from: time(-90), to: time(-80) },
              { from: time(0), to: time(1) },
            ],
    })) as unknown as EvidenceDocument['policies'],
    admissions: {
      ...base.admissions,
      by_namespace: each(Infinity, (n) => ({ namespace: `team-${n}`, admitted: 1000 + n, denied: n })),
    },
    triage: {
      ...{ file: 'triage.csv', total: count, active_at_end: Math.ceil(count / 2) },
      by_severity: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'].map((severity) => ({
        severity,
        decisions: severity === 'HIGH' ? count : 0,
      })),
      items: each(1000, (n) => ({
        ...{ id: n, digest: digest(n), image: `registry.example/shop/team-${n}/checkout:1.${n}.0` },
        ...{ cve: `CVE-2026-${n}`, severity: 'HIGH', reason: `not reachable, reason ${n}` },
        ...{ decided_by: account(n), decided_at: time(4), until: '2026-12-31T00:00:00Z' },
        ended_at: n % 3 === 1 ? time(19) : null,
      })),
    },
    mutes: {
      total: count,
      items: each(1000, (n) => ({
        ...{
          id: n,
          channel: 'c'.repeat(16),
          name: `on-call-${n}`,
          kind: 'slack',
          reason: 'the room is moved',
        },
        ...{ muted_at: time(1), until: time(2), ended_at: null, muted_by: account(n), unmuted_by: null },
      })),
    },
    coverage: {
      ...base.coverage,
      days: each(31, (n) => ({
        ...{
          cluster: 'c1',
          date: time(n).slice(0, 10),
          minutes_answered: 1440,
          sweeps: 24,
          partial_sweeps: 0,
        },
        ...{
          accounted_sweeps: 24,
          detector_events: 1,
          detector_heartbeats: 2,
        },
      })),
    },
    runtime: {
      rules: each(20, (n) => ({
        ...{ name: `rule ${n}`, enabled: n % 2 === 0, action: 'notify', match: {} },
        ...{ effect: 'issue', events: 10 * n },
      })),
      policies: each(1, () => ({ name: 'no-shells', enabled: true, document: {} })),
      events,
      joined: count === 0 ? {} : { field: count * 3, none: count, pod: count },
      by_effect: count === 0 ? {} : { issue: count, notify: count * 3, stop: count },
      stops: count === 0 ? {} : { failed: 1, stopped: 3 },
      decisions_total: count,
      decisions: each(500, (n) => ({
        ...{
          at: formatTime(TO - n * 60_000),
          rule: 'shell in a container',
          priority: 'Warning',
          effect: 'stop',
        },
        ...{ matched: 'policy:no-shells', policy_effect: 'stop', cluster: 'c1', namespace: 'shop' },
        ...{
          pod: `checkout-7d9f8b6c5-${n}`,
          container: 'main',
          image: 'registry.example/shop/checkout:1.0.0',
        },
        ...{ digest: digest(n), match_basis: 'field' },
      })),
      raw: null,
    },
  };
}
