import { createHash } from 'node:crypto';
import type { DemoReport, DemoWorkload } from '../../../src/app/index.ts';

const workload = (namespace: string, name: string, image: string): DemoWorkload => ({
  namespace,
  name,
  image,
  digest: `sha256:${createHash('sha256').update(image).digest('hex')}`,
});

const WEB = workload('shop', 'web', 'ghcr.io/acme/web:1.4');
const API = workload('shop', 'api', 'ghcr.io/acme/api:2.0');
const BACKUP = workload('backup', 'restic', 'docker.io/restic/restic:0.17.3');
const DNS = workload('kube-system', 'coredns', 'registry.k8s.io/coredns/coredns:v1.11.3');

/** WORKLOADS are what the made-up shop runs. */
export const WORKLOADS = [WEB, API, BACKUP, DNS];

/** RULES and POLICY are what a person wrote before the story begins. */
export const RULES = [
  {
    name: 'backup reads secrets',
    match: { namespaces: ['backup'], fields: [{ name: 'proc.name', equals: 'restic' }] },
    action: 'allow',
  },
  { name: 'shells', match: { tags: ['shell'] }, action: 'notify', throttle: '1h' },
];
export const POLICY = {
  apiVersion: 'ipo.dev/v1',
  kind: 'RuntimePolicy',
  metadata: { name: 'stop-dropped-binaries' },
  spec: { enforcement: 'Enforce', match: { rules: ['Drop and execute new binary in container'] } },
};

const secret = { rule: 'Read sensitive file untrusted', priority: 'Warning', tags: ['filesystem'] };
const shell = { rule: 'Terminal shell in container', priority: 'Notice', tags: ['shell'] };
const dropped = { rule: POLICY.spec.match.rules[0] ?? '', priority: 'Critical', tags: ['malware'] };

/** Act is a step of the story: what the detector reports, and whether the channel is told afterwards. */
export interface Act {
  readonly title: string;
  readonly reports: readonly DemoReport[];
  readonly sends: boolean;
}

/** ACTS are the story. */
export const ACTS: readonly Act[] = [
  {
    title: 'The backup reads secrets every night. A rule allows it.',
    reports: [{ workload: BACKUP, ...secret, process: 'restic' }],
    sends: false,
  },
  {
    title: 'Somebody opens a shell in the web shop. A rule notifies: an alert.',
    reports: [{ workload: WEB, ...shell, process: 'bash' }],
    sends: true,
  },
  {
    title: 'Another shell a minute later. The alert is throttled: once an hour for each rule and image.',
    reports: [{ workload: WEB, ...shell, process: 'sh' }],
    sends: true,
  },
  {
    title: 'The API runs a binary that its image does not contain. The runtime policy stops the pod.',
    reports: [{ workload: API, ...dropped, process: 'xmrig' }],
    sends: false,
  },
  {
    title:
      'Its controller makes the pod again, and the new one does the same. Three stops within an hour are the limit.',
    reports: Array.from({ length: 3 }, () => ({ workload: API, ...dropped, process: 'xmrig' })),
    sends: true,
  },
  {
    title: 'The same in kube-system, where nothing is ever stopped.',
    reports: [{ workload: DNS, ...dropped, process: 'xmrig' }],
    sends: false,
  },
];
