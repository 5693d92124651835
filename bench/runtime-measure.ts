import { sql } from 'kysely';
import { parseEvent, readRule, replayStored, type RuntimePolicy } from '../src/runtime/index.ts';
import { openStore, runtimeHistory } from '../src/store/index.ts';
import { insertMany } from '../src/store/sql/dialect.ts';
import { readCells } from '../src/store/sql/run.ts';

/**
 * The replay of stored events beside a bare scan of them, in a process of its own: `runtime-measure.ts DATABASE EVENTS ROUNDS`. Prints a line
 * of JSON for each round: milliseconds, and those of the processor.
 */
const [url = '', events = '', rounds = ''] = process.argv.slice(2);
const EVENTS = Number(events);
const NOW = Date.now();
const PAGE = 5_000;
const COLUMNS = {
  at: 'integer',
  source: 'text',
  rule: 'text',
  priority: 'text',
  output: 'text',
  tags: 'text',
  fields: 'text',
  received_at: 'integer',
  event_key: 'text',
  host: 'text',
  time: 'text',
  kind: 'text',
  decided_at: 'integer',
  digest: 'text',
  image: 'text',
  namespace: 'text',
  pod: 'text',
  pod_uid: 'text',
  workload: 'text',
  match_basis: 'text',
  effect: 'text',
  last_verdict: 'text',
  signed: 'integer',
} as const;
const KINDS = [
  ['Terminal shell in container', 'Notice', ['container', 'shell', 'mitre_execution'], 'bash'],
  ['Read sensitive file untrusted', 'Warning', ['filesystem', 'mitre_credential_access'], 'restic'],
  ['Contact K8S API Server From Container', 'Notice', ['network', 'k8s', 'container'], 'curl'],
  ['Drop and execute new binary in container', 'Critical', ['process', 'malware'], 'xmrig'],
] as const;

/** As Falco writes it, with the fields that its default rules append. */
function rowOf(n: number): readonly (string | number | null)[] {
  const [rule, priority, tags, program] = KINDS[n % 61 === 0 ? 3 : n % 3] ?? KINDS[0];
  const at = NOW - 20 * 86_400_000 + Math.floor((n * 19 * 86_400_000) / EVENTS);
  const time = `${new Date(at).toISOString().slice(0, -1)}${String(n % 1_000_000).padStart(6, '0')}Z`;
  const [pod, image] = [`shop-${n % 400}`, `ghcr.io/acme/app-${n % 40}:1.4`];
  const fields = `{"container.id":"3ad7b26ded6d","container.image.repository":"ghcr.io/acme/app-${n % 40}","container.image.tag":"1.4","container.name":"web","evt.time":${at}${String(n % 1_000_000).padStart(6, '0')},"evt.type":"execve","k8s.ns.name":"ns-${n % 20}","k8s.pod.name":"${pod}","proc.cmdline":"${program} -c id","proc.name":"${program}","proc.pname":"containerd-shim","proc.tty":34816,"user.loginuid":-1,"user.name":"root","user.uid":0}`;
  const output = `${time}: ${priority} ${rule} | evt_type=execve user=root process=${program} command=${program} -c id container_name=web`;
  const event = { rule, priority, tags, time, output, hostname: `node-${n % 50}`, output_fields: {} };
  const read = parseEvent(JSON.stringify(event), null);
  if ('fault' in read) throw new Error(read.fault);
  const digest = n % 3 === 1 ? null : `sha256:${(n % 200).toString(16).padStart(64, '0')}`;
  return [
    ...[at, 'syscall', rule, priority, output, JSON.stringify(tags), fields, at, read.key, event.hostname],
    ...[time, 'event', at, digest, digest === null ? null : image, `ns-${n % 20}`, pod, `uid-${n % 400}`],
    ...[`deployment/app-${n % 40}`, digest === null ? 'none' : 'pod', 'record', 'allowed', 1],
  ];
}

const draft = (fields: boolean) => ({
  rules: [
    {
      name: 'backup',
      match: {
        rules: ['Read sensitive file untrusted'],
        ...(fields && { fields: [{ name: 'proc.name', equals: 'restic' }] }),
      },
      action: 'allow',
    },
    {
      name: 'shells',
      match: {
        tags: ['shell'],
        ...(fields && { fields: [{ name: 'proc.cmdline', matches: '(ba|z)?sh .*' }] }),
      },
      window: { count: 3, duration: '10m' },
      action: 'notify',
    },
    {
      name: 'others',
      match: fields
        ? { fields: [{ name: 'user.name', in: ['nobody', 'daemon'] }] }
        : { namespaces: ['none'] },
      action: 'notify',
    },
    { name: 'grave', match: { priority: 'Critical' }, action: 'notify', throttle: '30m' },
  ].map(readRule),
  policies: [
    {
      name: 'stop',
      spec: {
        targetNamespaces: [],
        match: { tags: ['malware'], ...(fields && { fields: [{ name: 'proc.name', equals: 'xmrig' }] }) },
        enforcement: 'Enforce',
        action: 'stop',
        stopMode: 'immediate',
      },
    } satisfies RuntimePolicy,
  ],
});

const store = await openStore({ url });
for (let from = 0; from < EVENTS; from += PAGE)
  await store.write((transaction) =>
    insertMany(
      transaction,
      'runtime_events',
      COLUMNS,
      Array.from({ length: Math.min(PAGE, EVENTS - from) }, (_, n) => rowOf(from + n)),
    ),
  );

/** The floor: every column of the same rows, and nothing done with them. */
async function scan(): Promise<number> {
  let count = 0;
  for (let from = 1; from <= EVENTS; from += PAGE)
    count += (
      await readCells(
        store.read,
        sql`select * from runtime_events where id >= ${from} and id < ${from + PAGE} order by id`,
      )
    ).length;
  return count;
}

async function replay(fields: boolean): Promise<number> {
  const { evaluated } = await replayStored(runtimeHistory(store), {
    draft: draft(fields),
    limits: { maxStops: 10, ownNamespace: null },
    cluster: null,
    since: NOW - 30 * 86_400_000,
  });
  return evaluated;
}

async function timed(act: () => Promise<number>): Promise<{ readonly ms: number; readonly cpu: number }> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const count = await act();
  if (count !== EVENTS) throw new Error(`${count} of ${EVENTS} events were read`);
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpu: (user + system) / 1000 };
}

const acts = {
  scan,
  plain: () => replay(false),
  fields: () => replay(true),
} as const;
await scan();
for (let round = 0; round < Number(rounds); round += 1) {
  const names = Object.keys(acts) as (keyof typeof acts)[];
  const order = [...names.slice(round % 3), ...names.slice(0, round % 3)];
  const found: Partial<Record<keyof typeof acts, { readonly ms: number; readonly cpu: number }>> = {};
  for (const name of order) found[name] = await timed(acts[name]);
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
await store.close();
