import { z } from 'zod';
import type { ChannelEvent } from '../channels/index.ts';
import type { Happened } from './content.ts';

/** EventPayload is what is known of one occurrence of an event, what it is about, and a sample of it. */
export interface EventPayload {
  /** What the subject of an occurrence is. */
  readonly about: string;
  readonly schema: z.ZodObject;
  readonly sample: Omit<Happened, 'event'>;
}

const text = (what: string): z.ZodString => z.string().describe(what);
const digest = text('Digest of the image');
const cve = text('Id of the vulnerability');
const cluster = text('Name of the cluster');
const clusterOrNull = z
  .string()
  .nullable()
  .describe('Name of the cluster; null where the service has no name for it');
const fixed = z.string().nullable().describe('Version that fixes it; null for none yet');
const known = z.string().nullable().describe('Name of the package');
const at = z.string().optional().describe('When it was found, RFC 3339');
const nodes = {
  cluster,
  count: z.int().describe('Ready nodes'),
  ceiling: z.int().describe('Nodes that the licence allows'),
  at,
  over_since: z.string().optional().describe('Since when there are more, RFC 3339'),
  enforced_from: z.string().optional().describe('From when the ceiling is enforced, RFC 3339'),
};

const DIGEST = `sha256:${'a1'.repeat(32)}`;

/** EVENT_PAYLOADS are what each event carries: `entries[].items[]` of a webhook's message. */
export const EVENT_PAYLOADS: Readonly<Record<ChannelEvent, EventPayload>> = {
  critical_finding: {
    about: 'Digest of the image',
    schema: z.object({
      digest,
      cve,
      package: known,
      fixed,
      severity: text('Severity of the scanner'),
      known_exploited: z
        .boolean()
        .describe('Whether it is in the catalogue of known exploited vulnerabilities'),
      reason: z
        .enum(['found', 'runs_again', 'triage_ended'])
        .describe('Why it is told: a scan found it, its image runs again, or its triage ended'),
    }),
    sample: {
      subject: DIGEST,
      payload: {
        digest: DIGEST,
        cve: 'CVE-2026-0001',
        package: 'openssl',
        fixed: '3.0.2',
        severity: 'CRITICAL',
        known_exploited: true,
        reason: 'found',
      },
    },
  },
  finding_resolved: {
    about: 'Digest of the image',
    schema: z.object({
      digest,
      cve,
      package: known,
      reason: z.enum(['fixed', 'confirmed', 'triaged', 'image_retired']).describe('Why it ended'),
    }),
    sample: {
      subject: DIGEST,
      payload: { digest: DIGEST, cve: 'CVE-2026-0001', package: 'openssl', reason: 'fixed' },
    },
  },
  known_exploited_added: {
    about: 'Id of the vulnerability',
    schema: z.object({ digest, cve, package: known, fixed }),
    sample: {
      subject: 'CVE-2026-0001',
      payload: { digest: DIGEST, cve: 'CVE-2026-0001', package: 'openssl', fixed: null },
    },
  },
  runtime_alert: {
    about: 'Rule and image',
    schema: z.object({
      digest: z.string().nullable().describe('Digest of the image; null where it is not known'),
      image: z.string().nullable().describe('Name of the image'),
      rule: text('Name of the rule of the detector'),
      priority: text('Priority of the rule'),
      output: text('What the detector said'),
      cluster: clusterOrNull,
      namespace: text('Namespace of the pod; empty for none'),
      workload: z.string().nullable().describe('Its workload'),
      pod: z.string().nullable().describe('Its name'),
      host: text('Node on which it happened'),
      event: z.int().describe('Number of the event'),
    }),
    sample: {
      subject: DIGEST,
      payload: {
        digest: DIGEST,
        image: 'registry.example.com/shop/api:1.4',
        rule: 'Terminal shell in container',
        priority: 'Warning',
        output: 'A shell was spawned in api-7d9f',
        cluster: 'eu',
        namespace: 'shop',
        workload: 'deployment/api',
        pod: 'api-7d9f',
        host: 'node-1',
        event: 4711,
      },
    },
  },
  nodes_80: {
    about: 'Name of the cluster',
    schema: z.object(nodes),
    sample: { subject: 'eu', payload: { cluster: 'eu', count: 8, ceiling: 10 } },
  },
  nodes_over: {
    about: 'Name of the cluster',
    schema: z.object(nodes),
    sample: {
      subject: 'eu',
      payload: { cluster: 'eu', count: 11, ceiling: 10, enforced_from: '2026-12-08T06:00:00Z' },
    },
  },
  nodes_enforced: {
    about: 'Name of the cluster',
    schema: z.object(nodes),
    sample: { subject: 'eu', payload: { cluster: 'eu', count: 11, ceiling: 10 } },
  },
  nodes_cleared: {
    about: 'Name of the cluster',
    schema: z.object(nodes),
    sample: { subject: 'eu', payload: { cluster: 'eu', count: 10, ceiling: 10 } },
  },
  pods_unreviewed: {
    about: 'Name of the cluster',
    schema: z.object({
      cluster,
      at,
      pods: z.int().describe('Pods that the webhook never reviewed'),
      namespaces: z.array(z.string()).describe('Their namespaces'),
    }),
    sample: { subject: 'eu', payload: { cluster: 'eu', pods: 12, namespaces: ['shop', 'billing'] } },
  },
  pod_stop_withheld: {
    about: 'Cluster, namespace, workload and policy',
    schema: z.object({
      cluster,
      at,
      namespace: text('Namespace of the pod'),
      workload: text('Its workload'),
      pod: text('Its name'),
      policy: text('Policy that would stop it'),
      digest: z.string().nullable().describe('Digest of the image; null where it is not known'),
      reason: text('Why the policy would'),
      withheld: text('Why it was left running'),
      draft: z
        .string()
        .optional()
        .describe('Of a runtime policy: an ImagePolicy as JSON that would deny the image at admission'),
      draft_effect: z.string().nullable().optional().describe('What that draft would have changed'),
    }),
    sample: {
      subject: 'eu/shop/api/prod',
      payload: {
        cluster: 'eu',
        namespace: 'shop',
        workload: 'api',
        pod: 'api-7d9f',
        policy: 'prod',
        digest: DIGEST,
        reason: 'critical findings',
        withheld: 'its replacement would be denied',
      },
    },
  },
  ledger_broken: {
    about: '`ledger`',
    schema: z.object({ fault: text('What does not match') }),
    sample: { subject: 'ledger', payload: { fault: 'row 4711 does not match its leaf' } },
  },
  catalogue_stale: {
    about: 'Name of the catalogue',
    schema: z.object({
      title: text('Name of the catalogue'),
      as_of: z.string().nullable().describe('What is kept is of then, RFC 3339; null where it is not known'),
      fault: z.string().nullable().describe('Why it was not fetched; null where it is not known'),
    }),
    sample: {
      subject: 'vulnerability database',
      payload: {
        title: 'vulnerability database',
        as_of: '2026-11-22T05:00:00Z',
        fault: 'the registry answers 503',
      },
    },
  },
  channel_failed: {
    about: 'Id of the channel',
    schema: z.object({
      channel: text('Name of the channel'),
      channel_id: text('Its id'),
      kind: text('Its kind'),
      error: text('Why the message was given up'),
      events: z.array(z.string()).describe('What the message told'),
    }),
    sample: {
      subject: 'k3v7q2mzt5a6wxyb',
      payload: {
        channel: 'mail',
        channel_id: 'k3v7q2mzt5a6wxyb',
        kind: 'email',
        error: 'mail.example.com:587 refuses connections',
        events: ['critical_finding'],
      },
    },
  },
  licence_expiring: {
    about: '`licence`',
    schema: z.object({
      days: z.int().describe('Days that are left'),
      not_after: text('When the certificate ends, RFC 3339'),
      cluster: clusterOrNull,
    }),
    sample: { subject: 'licence', payload: { days: 7, not_after: '2026-12-01T00:00:00Z', cluster: 'eu' } },
  },
  backup_failed: {
    about: '`backup`',
    schema: z.object({ error: text('Why it was not written') }),
    sample: { subject: 'backup', payload: { error: 'the bucket refuses writes' } },
  },
};
