import { readExport, type LedgerExport, type ReadOptions } from '../../src/ledger/index.ts';
import { parsePolicies, type Policy } from '../../src/policy/index.ts';
import {
  runSelfCheck,
  runWhatIf,
  sourceOf,
  type SelfCheckResult,
  type WhatIfResult,
} from '../../src/whatif/index.ts';

export const EXPORTED_AT = '2026-11-20T06:00:00Z';
export const DIGEST_A = `sha256:${'a'.repeat(64)}`;
export const DIGEST_B = `sha256:${'b'.repeat(64)}`;

type Json = Readonly<Record<string, unknown>>;

/** Parts of an export, as plain values; what is left out gets a plain default. */
export interface LedgerText {
  readonly header?: Json;
  readonly policies?: readonly Json[];
  readonly images?: readonly Json[];
  /** Newest first. */
  readonly rows: readonly Json[];
}

/** row makes a row that was admitted yesterday in namespace shop. */
export function row(id: number, more: Json = {}): Json {
  return {
    id,
    kind: 'review',
    time: '2026-11-19T06:00:00Z',
    review_uid: `uid-${id}`,
    cluster: 'c1',
    namespace: 'shop',
    pod: `web-7d9f8b6c5-${[...String(id).padStart(5, '0')].map((digit) => 'bcdfghjklm'.charAt(Number(digit))).join('')}`,
    pod_uid: `pod-${id}`,
    container: 'app',
    image: 'registry.example/app:1',
    digest: DIGEST_A,
    allowed: true,
    review_allowed: true,
    reason: '',
    label: null,
    policy: 'shop',
    policy_revision: 'rev-1',
    break_glass: false,
    break_glass_reason: null,
    signals: [],
    exposed_by: null,
    subresource: null,
    requester: 'system:admin',
    pod_level: false,
    inputs: null,
    ...more,
  };
}

/** finding makes a finding with a fix that nothing takes out of the count. */
export function finding(cve: string, severity: string, more: Json = {}): Json {
  return {
    cve,
    severity,
    package: 'p',
    installed: '1',
    fixed: '2',
    known_exploited: false,
    triaged_until: null,
    ...more,
  };
}

/** image makes the facts of a digest: scanned, nothing signed. */
export function image(digest: string, findings: readonly Json[] | null, more: Json = {}): Json {
  return {
    digest,
    names: [],
    scan: {
      scanned_at: '2026-11-18T00:00:00Z',
      scanner: { name: 'trivy', version: '0.72.0', db_updated_at: null },
      os: { family: 'debian', name: '13', eosl: false },
      findings,
    },
    signatures: [],
    attestations: [],
    provenance: [],
    vex: [],
    ...more,
  };
}

/** policyLine makes a policy line of a revision. */
export function policyLine(name: string, revision: string, current: boolean, spec: Json): Json {
  return {
    name,
    revision,
    current,
    document: { apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name }, spec },
  };
}

/** toText writes the parts as an export. */
export function toText({ header, policies = [], images = [], rows }: LedgerText): string {
  const lines = [
    {
      type: 'header',
      format: 'ipo.ledger/1',
      exported_at: EXPORTED_AT,
      cluster: 'c1',
      cold_image_policy: 'AllowAndScan',
      rows: rows.length,
      images: images.length,
      from: null,
      to: null,
      ...header,
    },
    ...policies.map((line) => ({ type: 'policy', ...line })),
    ...images.map((line) => ({ type: 'image', ...line })),
    ...rows.map((line) => ({ type: 'row', ...line })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** open reads a text as an export, in chunks of `size` bytes. */
export async function open(
  text: string | Uint8Array,
  size = 65_536,
  options: ReadOptions = {},
): Promise<LedgerExport> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return readExport(chunks(), 'ledger.ndjson', options);
}

/** policy makes the policy of a spec. */
export function policy(spec: Json, name = 'shop'): Policy {
  const document = { apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name }, spec };
  const { policies, problems } = parsePolicies(JSON.stringify(document), 'draft.json');
  const [parsed] = policies;
  if (parsed === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return parsed.policy;
}

/** Options of a replay in a test; as_of is the export's own time unless given. */
export interface Asked {
  readonly days?: number;
  readonly limit?: number;
  readonly source?: string;
  readonly asOf?: string;
  readonly chunk?: number;
}

/** ask replays a draft over an export. */
export async function ask(
  spec: Json | Policy,
  text: LedgerText | string,
  asked: Asked = {},
): Promise<WhatIfResult> {
  const ledger = await open(typeof text === 'string' ? text : toText(text), asked.chunk);
  return runWhatIf(
    {
      draft: isPolicy(spec) ? spec : policy(spec),
      asOf: asked.asOf === undefined ? ledger.header.exportedAt : Date.parse(asked.asOf),
      days: asked.days ?? 30,
      limit: asked.limit ?? 5000,
      source: asked.source ?? null,
    },
    sourceOf(ledger),
  );
}

/** check runs the self-check over an export. */
export async function check(text: LedgerText): Promise<SelfCheckResult> {
  const ledger = await open(toText(text));
  return runSelfCheck({ asOf: ledger.header.exportedAt, days: 30, limit: 0 }, sourceOf(ledger));
}

function isPolicy(value: Json | Policy): value is Policy {
  return 'revision' in value;
}
