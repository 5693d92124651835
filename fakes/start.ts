import type { Active } from './active.ts';
import { FakeError } from './fake-error.ts';
import { Faults } from './faults.ts';
import { GithubProvider } from './github.ts';
import { GitlabProvider } from './gitlab.ts';
import { JiraProvider, type JiraOptions } from './jira.ts';
import { NO_LIMITS, type Limits } from './limits.ts';
import { Listener, type Answer } from './listener.ts';
import { openServer, type Seen } from './server.ts';
import { makeTokens, type FakeToken, type TokenName } from './tokens.ts';
import { openTrap, type Trap } from './trap.ts';
import type { WireRequest } from './wire.ts';
import { type FakeProject, type FakeUser, type FakeKind } from './state.ts';
import { World } from './world.ts';
import type { Provider } from './provider.ts';

/** ProjectOptions describe a project of a fake; what is left out is as an ordinary private project has it. */
export type ProjectOptions = Partial<Omit<FakeProject, 'path' | 'labels' | 'counter' | 'formerPaths'>> & {
  readonly path: string;
};

/** FakeOptions say how a fake begins. */
export interface FakeOptions {
  /** clock gives the time of everything the tracker stamps; the real time unless given. */
  readonly clock?: { now(): number };
  /** lagMs is how long Jira's search takes to learn of a change, and lists of the others of a new issue, in milliseconds; none unless given. */
  readonly lagMs?: number | (() => number);
  /** limits of the vendor or of a test; none unless given. */
  readonly limits?: Limits;
  /** heard is told of every request once it was dealt with. */
  readonly heard?: (seen: Seen) => void;
  /** port of the API; a free one unless given. */
  readonly port?: number;
  /** users beside the service's own account `ipo-bot` and the person `alice`. */
  readonly users?: readonly FakeUser[];
  /** projects instead of the two that a fake has by default. */
  readonly projects?: readonly ProjectOptions[];
  /** webUrl is the address of the pages, where it is not that of the server. */
  readonly webUrl?: string;
  /** root is a relative root of GitLab or a context path of Data Center, such as `/gitlab`. */
  readonly root?: string;
}

/** Fake is a tracker that listens. */
export interface Fake {
  readonly kind: FakeKind;
  /** url is what a channel has as `apiBaseUrl`. */
  readonly url: string;
  /** webUrl is the address that links of issues begin with; for Jira the site. */
  readonly webUrl: string;
  readonly state: World;
  readonly tokens: Readonly<Record<TokenName, FakeToken>>;
  readonly requests: readonly Seen[];
  /** violations are requests that the vendor would not take, or that our code must never send. Empty at a test's end. */
  readonly violations: string[];
  readonly faults: Faults;
  /** elsewhere is the other host that injected redirects lead to. Nothing may ever arrive there. */
  readonly elsewhere: Trap;
  /** active lists all that is active in what came over the wire or was written by hand. */
  active(): Active[];
  /** down refuses every connection until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

const CLOUD_ID = '11223344-a1b2-4b3c-8d4e-5f6a7b8c9d0e';

/** DEFAULT_PROJECTS are the projects of a fake that is given none; a channel's default target is the first. */
export const DEFAULT_PROJECTS: Readonly<Record<FakeKind, readonly ProjectOptions[]>> = {
  github: [{ path: 'acme/shop' }, { path: 'acme/payments' }],
  'github-enterprise': [{ path: 'acme/shop' }, { path: 'acme/payments' }],
  gitlab: [{ path: 'acme/shop' }, { path: 'acme/platform/images/base' }],
  'jira-cloud': [
    { path: 'SEC', name: 'Security' },
    { path: 'OPS', name: 'Operations' },
  ],
  'jira-gateway': [
    { path: 'SEC', name: 'Security' },
    { path: 'OPS', name: 'Operations' },
  ],
  'jira-datacenter': [
    { path: 'SEC', name: 'Security' },
    { path: 'OPS', name: 'Operations' },
  ],
};

const BOT: FakeUser = {
  id: 9001,
  login: 'ipo-bot',
  name: 'Image Policy',
  email: 'ipo-bot@example.com',
  bot: true,
};
const ALICE: FakeUser = { id: 9002, login: 'alice', name: 'Alice', email: 'alice@example.com', bot: false };

function makeProject(options: ProjectOptions, index: number): FakeProject {
  return {
    id: 100 + index,
    name: options.path.split('/').at(-1) ?? options.path,
    private: true,
    archived: false,
    issuesEnabled: true,
    requiredFields: {},
    requiredOnDone: [],
    ...options,
    labels: new Set<string>(),
    formerPaths: [],
    counter: 0,
  };
}

/** startFake starts one tracker on loopback. */
export async function startFake(kind: FakeKind, options: FakeOptions = {}): Promise<Fake> {
  const {
    clock = { now: () => Date.now() },
    lagMs = 0,
    limits = NO_LIMITS,
    root = '',
    heard = () => {},
  } = options;
  const now = (): number => clock.now();
  const world = new World({
    kind,
    now,
    lagMs: typeof lagMs === 'function' ? lagMs : () => lagMs,
    users: [BOT, ALICE, ...(options.users ?? [])],
    projects: (options.projects ?? DEFAULT_PROJECTS[kind]).map(makeProject),
  });
  const tokens = makeTokens(kind, BOT, ALICE);
  const [faults, requests, violations] = [new Faults(), [] as Seen[], [] as string[]];
  const elsewhere = await openTrap();
  const serverOf = (provider: Provider): ((request: WireRequest) => Promise<Answer>) =>
    openServer({ provider, world, faults, limits, requests, violations, heard, elsewhere: elsewhere.url });

  let answer: ((request: WireRequest) => Promise<Answer>) | null = null;
  const listener = await Listener.open((request) => {
    if (answer === null) throw new FakeError('not_listening', 'the fake is not ready');
    return answer(request);
  }, options.port);
  const list = Object.values(tokens);
  const site = kind === 'jira-gateway' ? await openSite(serverOf, world, list) : null;
  const webUrl = options.webUrl ?? site?.origin ?? `${listener.origin}${root}`;
  const { provider, url } = makeProvider({
    kind,
    world,
    tokens: list,
    origin: listener.origin,
    webUrl,
    root,
  });
  answer = serverOf(provider);
  const listeners = site === null ? [listener] : [listener, site];
  return {
    kind,
    url,
    webUrl,
    state: world,
    tokens,
    requests,
    violations,
    faults,
    elsewhere,
    active: () =>
      world.issues.flatMap((issue) => [...issue.active, ...issue.comments.flatMap(({ active }) => active)]),
    async down() {
      for (const one of listeners) await one.down();
    },
    async up() {
      for (const one of listeners) await one.up();
    },
    async close() {
      for (const one of listeners) await one.down();
      await elsewhere.close();
    },
  };
}

interface Making {
  readonly kind: FakeKind;
  readonly world: World;
  readonly tokens: readonly FakeToken[];
  readonly origin: string;
  readonly webUrl: string;
  readonly root: string;
}

function makeProvider({ kind, world, tokens, origin, webUrl, root }: Making): {
  provider: Provider;
  url: string;
} {
  if (kind === 'gitlab') {
    return {
      provider: new GitlabProvider({ world, tokens, web: webUrl, root }),
      url: `${origin}${root}/api/v4`,
    };
  }
  if (kind === 'github' || kind === 'github-enterprise') {
    const enterprise = kind === 'github-enterprise';
    const url = enterprise ? `${origin}/api/v3` : origin;
    return {
      provider: new GithubProvider({ world, tokens, addresses: { api: url, web: webUrl }, enterprise }),
      url,
    };
  }
  const base = kind === 'jira-gateway' ? `/ex/jira/${CLOUD_ID}` : root;
  const form = (
    { 'jira-cloud': 'site', 'jira-gateway': 'gateway', 'jira-datacenter': 'datacenter' } as const
  )[kind];
  const url = `${origin}${base}`;
  const addresses = { api: url, site: webUrl, cloud: form !== 'datacenter' };
  const options: JiraOptions = { world, tokens, addresses, form, base, cloudId: CLOUD_ID };
  return { provider: new JiraProvider(options), url };
}

/** The site beside a gateway: the same Jira under its own address, which takes only classic tokens. */
async function openSite(
  serverOf: (provider: Provider) => (request: WireRequest) => Promise<Answer>,
  world: World,
  tokens: readonly FakeToken[],
): Promise<Listener> {
  let answer: ((request: WireRequest) => Promise<Answer>) | null = null;
  const listener = await Listener.open((request) => {
    if (answer === null) throw new FakeError('not_listening', 'the site is not ready');
    return answer(request);
  });
  const addresses = { api: listener.origin, site: listener.origin, cloud: true };
  answer = serverOf(
    new JiraProvider({ world, tokens, addresses, form: 'site', base: '', cloudId: CLOUD_ID }),
  );
  return listener;
}
