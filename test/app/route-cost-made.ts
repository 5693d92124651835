import { digestOf, imageOf, policyOf, type Sizes } from './route-cost-data.ts';
import type { Ready } from './route-cost-service.ts';

/** CostStage is the service that is measured. */
export interface CostStage extends Ready {
  readonly sizes: Sizes;
  /** Writes another catalogue of known exploited vulnerabilities. */
  kev(round: number): void;
}

/** CostCall is one call of a route. */
export interface CostCall {
  /** Under `/api/v1`; that of the route's key unless given. */
  readonly path?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly match?: string;
  /** That of the administrator unless given. */
  readonly secret?: string;
  /** 200 unless given. */
  readonly status?: number;
}

let made = 0;
/** next counts, for names that are not taken. */
export const next = (): number => (made += 1);

/** make makes something by the API, for a call that needs it. */
export async function make<T>(
  { url, administrator }: CostStage,
  key: string,
  body?: unknown,
  headers = {},
): Promise<T> {
  const [method = '', path = ''] = key.split(' ');
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${administrator}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${key}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as T;
}

/** session signs the viewer in. */
export const session = async (stage: CostStage): Promise<string> =>
  (
    await make<{ token: string }>(stage, 'POST /session', {
      email: 'viewer@example.com',
      password: stage.password,
    })
  ).token;

/** person makes an account. */
export const person = async (stage: CostStage): Promise<string> => {
  const n = next();
  const wanted = { email: `made-${n}@example.com`, name: `Person Number ${n}`, password: stage.password };
  return (await make<{ account: { id: string } }>(stage, 'POST /accounts', wanted)).account.id;
};

/** channelDocument is a channel of a tracker that nobody calls. */
export const channelDocument = (n: number) => ({
  ...{
    kind: 'github',
    name: `hub ${n}`,
    apiBaseUrl: 'https://tracker.invalid/api/v3',
    token: 'github_pat_1',
  },
  ...{ defaultRepo: 'team/shop', enabled: false, labels: Array.from({ length: 20 }, (_, i) => `label-${i}`) },
});
/** channel makes one. */
export const channel = async (stage: CostStage): Promise<string> =>
  (await make<{ id: string }>(stage, 'POST /channels', channelDocument(next()))).id;

/** hook makes one that is told, and not called: it is disabled. */
export const hook = async (stage: CostStage): Promise<string> =>
  (
    await make<{ id: string }>(stage, 'POST /channels', {
      ...{ kind: 'webhook', name: `hook ${next()}`, enabled: false },
      webhookUrl: 'https://hooks.example.com/in',
    })
  ).id;

/** DRAFT and LONG are drafts of policies. */
export const DRAFT = policyOf(100_000, 20).document;
export const LONG = policyOf(100_001, 250).document;
let kept: Promise<string> | null = null;
/** run keeps a run, once. */
export const run = (stage: CostStage): Promise<string> =>
  (kept ??= make<{ run?: { id: string } }>(stage, 'POST /policies/whatif', {
    ...{ policy: DRAFT, limit: 1_000, keep: true },
  }).then(async () => {
    const { items } = await make<{ items: readonly { id: string }[] }>(stage, 'GET /policies/whatif/runs');
    return items[0]?.id ?? '';
  }));

/** report is one of a scanner, of 31 kB for each finding. */
export function report(round: number, findings: number): unknown {
  return {
    ...{
      SchemaVersion: 2,
      CreatedAt: new Date(Date.now() + round).toISOString(),
      ArtifactName: imageOf(round),
    },
    ArtifactType: 'container_image',
    Metadata: {
      OS: { Family: 'debian', Name: '13.1' },
      RepoDigests: [`${imageOf(round).replace(/:[^:]*$/, '')}@${digestOf(round)}`],
      RepoTags: [imageOf(round)],
    },
    Results: [
      {
        Class: 'os-pkgs',
        Vulnerabilities: Array.from({ length: findings }, (_, n) => ({
          ...{ VulnerabilityID: `CVE-2023-${10_000 + n}`, PkgName: `package-${n}`, InstalledVersion: '1.0' },
          ...{
            FixedVersion: '1.1',
            Severity: 'HIGH',
            Title: `A title of ${n}`,
            Description: 'of no matter '.repeat(2_400),
          },
        })),
      },
    ],
  };
}

/** ruleOf is a runtime rule of a number. */
export const ruleOf = (n: number) => ({
  name: `rule-${n}`,
  match: {
    rules: Array.from({ length: 20 }, (_, i) => `Rule ${i} of the detector`),
    fields: [{ name: 'proc.name', matches: 'node|python3?' }],
  },
  window: { count: 5, duration: '10m' },
  action: 'notify',
});
/** rule makes one, and gives its name. */
export const rule = async (stage: CostStage): Promise<string> =>
  (await make<{ name: string }>(stage, 'POST /runtime/rules', ruleOf(next()))).name;

/** closedRow is a closed row of the tracking history. */
export const closedRow = async (stage: CostStage): Promise<string> => {
  const { items } = await make<{ items: readonly { id: number }[] }>(
    stage,
    'GET /tracking?state=closed&limit=1',
  );
  return String(items[0]?.id);
};
