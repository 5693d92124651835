import { createReadStream } from 'node:fs';
import { formatTime } from '../src/base/index.ts';
// As the command loads it: the whole of the service takes 45 MB and makes the heap grow sooner.
import { buildCli } from '../src/app/doors/build.ts';
import { decide } from '../src/decision/index.ts';
import { parseImageFacts, type Subject } from '../src/facts/index.ts';
import { parseReference } from '../src/image/index.ts';
import { parsePolicies, type Policy } from '../src/policy/index.ts';
import { runWhatIf, sourceOf } from '../src/whatif/index.ts';

/** One measurement in a process of its own: `measure.ts scan|replay FILE` or `measure.ts decide|decide-patterns`. Prints one JSON line. */
const DRAFT = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata: { name: shop }
spec:
  enforcement: Enforce
  severityThreshold: HIGH
  knownExploited: block
  allowedRegistries: [registry.shop.example]
  denyLatestTag: true
  deploymentContext: { mode: Escalate }
`;

function policyOf(text: string): Policy {
  const { policies, problems } = parsePolicies(text, 'bench.yaml');
  const policy = policies[0]?.policy;
  if (policy === undefined) throw new Error(problems[0]?.message ?? 'no policy');
  return policy;
}

/** The floor: the same file, split on bytes, JSON.parse of each line, nothing done with it. */
async function scan(file: string): Promise<number> {
  let rest: Buffer = Buffer.alloc(0);
  let lines = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 262_144 })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    let at = 0;
    for (let end = bytes.indexOf(10, at); end !== -1; end = bytes.indexOf(10, at)) {
      JSON.parse(bytes.toString('utf8', at, end));
      lines += 1;
      at = end + 1;
    }
    rest = bytes.subarray(at);
  }
  return lines;
}

async function replay(file: string): Promise<number> {
  const ledger = await buildCli(process.stdin).openLedger(file);
  const result = await runWhatIf(
    { draft: policyOf(DRAFT), asOf: ledger.header.exportedAt, days: 30, limit: 0, source: null },
    sourceOf(ledger),
  );
  return result.evaluated;
}

/** Every gate on, over images that pass them all but the last: the longest way through. Signers are named exactly, or by a pattern. */
function decisions(signers: 'exact' | 'patterns'): number {
  const key = 'https://github.com/acme/build/.github/workflows/release.yml@refs/heads/main';
  const by =
    signers === 'exact'
      ? `identity: '${key}'`
      : "identityRegExp: 'https://github\\.com/acme/[^/]+/\\.github/workflows/release\\.yml@refs/(heads|tags)/.*'";
  const policy = policyOf(`apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata: { name: all }
spec:
  severityThreshold: CRITICAL
  ignoreUnfixed: true
  admissionTiming: DenyUntilScanned
  allowedRegistries: [registry.shop.example, ghcr.io/acme]
  denyLatestTag: true
  digestEnforcement: require
  signature: { required: true, identities: [{ ${by} }] }
  attestations: [{ predicateType: 'https://spdx.dev/Document', identities: [{ ${by} }] }]
  provenance: { minLevel: 3, trustedBuilders: [{ id: builder, level: 3, ${by.replace('identity:', 'signer:')} }] }
  vex: { mode: apply, trustedIssuers: [{ ${by} }] }
  knownExploited: block
  endOfLifeOS: block
  deploymentContext: { mode: Escalate }
  breakGlass: { allowed: true, groups: [on-call] }
`);
  const subjects = Array.from({ length: 64 }, (_, i): Subject => {
    const digest = `sha256:${i.toString(16).padStart(64, '0')}`;
    const reference = parseReference(`registry.shop.example/team/app-${i}@${digest}`);
    if ('fault' in reference) throw new Error(reference.fault);
    return {
      reference,
      digest,
      facts: parseImageFacts({
        digest,
        names: [],
        scan: {
          scanned_at: formatTime(0),
          scanner: null,
          os: { family: 'debian', name: '13', eosl: false },
          findings: Array.from({ length: 20 }, (_, j) => ({
            cve: `CVE-2026-${1000 + j}`,
            severity: j === 19 && i % 4 === 0 ? 'HIGH' : ['LOW', 'MEDIUM'][j % 2],
            package: 'p',
            installed: '1',
            fixed: '2',
            known_exploited: false,
            triaged_until: null,
          })),
        },
        signatures: [{ identity: key, issuer: 'i' }],
        attestations: [{ identity: key, issuer: 'i', predicate_type: 'https://spdx.dev/Document' }],
        provenance: [{ builder_id: 'builder', signer: key, issuer: 'i' }],
        vex: [{ identity: key, issuer: 'i', cve: 'CVE-2026-1', status: 'fixed' }],
      }),
      signals: ['root', 'exposed'],
      exposedBy: 'Service shop/front',
      quota: null,
      coldImagePolicy: 'AllowAndScan',
      breakGlass: null,
    };
  });
  let refused = 0;
  const rounds = 3_000_000;
  for (let i = 0; i < rounds; i += 1) {
    if (decide(policy, subjects[i & 63] as Subject, 1_000).kind === 'refuse') refused += 1;
  }
  return refused === rounds / 4 ? rounds : NaN;
}

const [what, file = ''] = process.argv.slice(2);
const began = performance.now();
const before = process.cpuUsage();
async function counted(): Promise<number> {
  if (what === 'scan') return scan(file);
  if (what === 'replay') return replay(file);
  return decisions(what === 'decide-patterns' ? 'patterns' : 'exact');
}
const count = await counted();
const ms = performance.now() - began;
const used = process.cpuUsage(before);
const cpu = (used.user + used.system) / 1000;
process.stdout.write(`${JSON.stringify({ count, ms, cpu, rss: process.resourceUsage().maxRSS / 1024 })}\n`);
