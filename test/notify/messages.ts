import { CHANNEL_EVENTS, type ChannelEvent } from '../../src/channels/index.ts';
import {
  composeMessage,
  toSections,
  type Content,
  type Message,
  type Payload,
} from '../../src/notify/index.ts';

const AT = Date.UTC(2026, 10, 24, 6);
const DIGEST = `sha256:${'a1'.repeat(32)}`;

/** PAYLOADS are what each event says, with its subject. */
export const PAYLOADS: Readonly<Record<ChannelEvent, readonly [subject: string, payload: Payload]>> = {
  critical_finding: [
    DIGEST,
    {
      digest: DIGEST,
      cve: 'CVE-2026-0001',
      package: 'openssl',
      fixed: '3.0.2',
      severity: 'CRITICAL',
      known_exploited: true,
    },
  ],
  finding_resolved: [DIGEST, { digest: DIGEST, cve: 'CVE-2026-0001', package: 'openssl', reason: 'fixed' }],
  known_exploited_added: [
    'CVE-2026-0001',
    { digest: DIGEST, cve: 'CVE-2026-0001', package: 'openssl', fixed: null },
  ],
  runtime_alert: [
    DIGEST,
    {
      digest: DIGEST,
      rule: 'Terminal shell in container',
      priority: 'Warning',
      output: 'A shell was spawned in api-7d9f',
      namespace: 'shop',
    },
  ],
  nodes_80: ['eu', { cluster: 'eu', count: 8, ceiling: 10 }],
  nodes_over: ['eu', { cluster: 'eu', count: 11, ceiling: 10, enforced_from: '2026-12-08T06:00:00Z' }],
  nodes_enforced: ['eu', { cluster: 'eu', count: 11, ceiling: 10 }],
  nodes_cleared: ['eu', { cluster: 'eu', count: 10, ceiling: 10 }],
  pods_unreviewed: ['eu', { cluster: 'eu', pods: 12, namespaces: ['shop', 'billing'] }],
  pod_stop_withheld: [
    'eu/shop/api/prod',
    {
      cluster: 'eu',
      namespace: 'shop',
      workload: 'api',
      pod: 'api-7d9f',
      policy: 'prod',
      digest: DIGEST,
      reason: 'critical findings',
      withheld: 'its replacement would be denied',
    },
  ],
  ledger_broken: ['ledger', { fault: 'row 4711 does not match its leaf' }],
  catalogue_stale: [
    'vulnerability database',
    { title: 'vulnerability database', as_of: '2026-11-22T05:00:00Z', fault: 'the registry answers 503' },
  ],
  channel_failed: [
    'mail',
    {
      channel: 'mail',
      channel_id: 'k3v7q2mzt5a6wxyb',
      kind: 'email',
      error: 'mail.example.com:587 refuses connections',
    },
  ],
  licence_expiring: ['licence', { days: 7, not_after: '2026-12-01T00:00:00Z' }],
  backup_failed: ['backup', { error: 'the bucket refuses writes' }],
};

/** contentOf gives the content of a message about one occurrence of each event that is named. */
export function contentOf(events: readonly ChannelEvent[], payloads = PAYLOADS): Content {
  return {
    sections: toSections(
      events.map((event) => {
        const [subject, payload] = payloads[event];
        return { event, subject, count: 1, firstAt: AT, lastAt: AT, items: [payload] };
      }),
    ),
    places: {
      [DIGEST]: {
        name: 'registry.example.com/shop/api:1.4.2',
        workloads: [{ cluster: 'eu', namespace: 'shop', name: 'api' }],
        total: 3,
      },
    },
  };
}

/** messageOf gives a message about events. */
export function messageOf(...events: readonly ChannelEvent[]): Message {
  return composeMessage(contentOf(events), { id: `msg_${'a'.repeat(26)}`, at: AT, references: [] });
}

/** EVERY is a message about each event, by its name. */
export const EVERY: ReadonlyMap<ChannelEvent, Message> = new Map(
  CHANNEL_EVENTS.map((event) => [event, messageOf(event)]),
);
