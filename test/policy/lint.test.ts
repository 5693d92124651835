import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadAuthoring, parsePolicies, type Problem } from '../../src/policy/index.ts';
import { KEY, KEY_REWRAPPED, OTHER_KEY, parsed, policyText } from './policy-text.ts';

const { lintPolicies, LINT_RULES } = await loadAuthoring();

function lint(...specs: readonly unknown[]): Problem[] {
  return lintPolicies(
    specs.map((spec, i) => parsePolicies(policyText(spec, { name: `p${i}` }), `p${i}.yaml`)),
  );
}

const said = (problems: readonly Problem[]): string[] =>
  problems.map(({ rule, path }) => `${rule} ${path}`.trim());

const GITHUB = 'https://token.actions.githubusercontent.com';
const builder = (id: string, level: number, more: object = {}): object => ({ id, level, ...more });

const bySigner = (...identities: readonly object[]): object => ({
  signature: { required: true, identities },
});

/** Each case: the spec, and all that is said of it. */
const CASES: Readonly<Record<string, readonly [spec: unknown, said: readonly string[]]>> = {
  'a policy of defaults': [{}, []],
  'a trusted builder below minLevel is never accepted': [
    { provenance: { minLevel: 2, trustedBuilders: [builder('a', 2), builder('b', 1)] } },
    ['builder-below-level spec.provenance.trustedBuilders[1].level'],
  ],
  'a minLevel that no builder reaches': [
    { provenance: { minLevel: 3, trustedBuilders: [builder('a', 2)] } },
    ['no-builder spec.provenance.minLevel'],
  ],
  'a minLevel without builders': [{ provenance: { minLevel: 1 } }, ['no-builder spec.provenance.minLevel']],
  'builders while provenance is off': [
    { provenance: { trustedBuilders: [builder('a', 2)] } },
    ['builders-unused spec.provenance.trustedBuilders'],
  ],
  'one builder under two signers is two entries': [
    {
      provenance: {
        minLevel: 2,
        trustedBuilders: [builder('a', 2, { signer: 'x' }), builder('a', 2, { signer: 'y' })],
      },
    },
    [],
  ],
  'one builder twice': [
    { provenance: { minLevel: 2, trustedBuilders: [builder('a', 2), builder('a', 3, { signer: 'a' })] } },
    ['repeated spec.provenance.trustedBuilders[1]'],
  ],
  'a signer that reads like a pattern': [
    {
      provenance: {
        minLevel: 1,
        trustedBuilders: [builder('a', 2, { signer: 'https://github.com/acme/*' })],
      },
    },
    ['identity-pattern spec.provenance.trustedBuilders[0]'],
  ],
  'VEX applied without producers': [{ vex: { mode: 'apply' } }, ['vex-nobody spec.vex.mode']],
  'producers while VEX is ignored': [
    { vex: { trustedIssuers: [{ key: KEY }] } },
    ['vex-unused spec.vex.trustedIssuers'],
  ],
  'VEX where no gate judges findings': [
    {
      severityThreshold: 'NONE',
      knownExploited: 'ignore',
      denyLatestTag: true,
      vex: { mode: 'apply', trustedIssuers: [{ key: KEY }] },
    },
    ['vex-pointless spec.vex.mode'],
  ],
  'VEX that spares a warning': [
    {
      severityThreshold: 'NONE',
      denyLatestTag: true,
      vex: { mode: 'apply', trustedIssuers: [{ key: KEY }] },
    },
    [],
  ],
  'signers that nobody asks for': [{ signature: { keys: [KEY] } }, ['signers-unused spec.signature.keys']],
  'an identity of any issuer': [
    { signature: { required: true, identities: [{ identity: 'ci@shop.example' }] } },
    ['any-issuer spec.signature.identities[0]'],
  ],
  'an identity of any issuer beside the same with one': [
    { signature: { required: true, identities: [{ identity: 'a', issuer: GITHUB }, { identity: 'a' }] } },
    ['repeated spec.signature.identities[0]', 'any-issuer spec.signature.identities[1]'],
  ],
  'an identity under two issuers': [
    {
      signature: {
        required: true,
        identities: [
          { identity: 'a', issuer: GITHUB },
          { identity: 'a', issuer: 'https://gitlab.com' },
        ],
      },
    },
    [],
  ],
  'an identity with a wildcard': [
    {
      signature: { required: true, identities: [{ identity: 'https://github.com/acme/*', issuer: GITHUB }] },
    },
    ['identity-pattern spec.signature.identities[0]'],
  ],
  'a pattern of the releases of one repository': [
    bySigner({
      identityRegExp: 'https://github\\.com/acme/web/\\.github/workflows/release\\.yml@refs/tags/v[0-9.]+',
      issuer: GITHUB,
    }),
    [],
  ],
  'a pattern of all repositories of one owner': [
    bySigner({ identityRegExp: '^https://github\\.com/(acme|globex)/.*$', issuer: GITHUB }),
    [],
  ],
  'a pattern that any repository of a host satisfies': [
    bySigner({ identityRegExp: 'https://github.com/.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern that everything satisfies': [
    bySigner({ identityRegExp: '.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of which one alternative is open': [
    bySigner({ identityRegExp: 'https://github\\.com/acme/.*|https://gitlab\\.com/[^/]+/[^/]+.*' }),
    ['any-issuer spec.signature.identities[0]', 'open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern that any repository with a workflow of that name satisfies': [
    bySigner({
      identityRegExp:
        '^https://github\\.com/[a-z]{3}/[^/]+/\\.github/workflows/sign-image\\.ya?ml@refs/tags/v[0-9]{4}$',
      issuer: GITHUB,
    }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern whose owner anybody can lengthen': [
    bySigner({ identityRegExp: 'https://github\\.com/acme.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of owners of a few letters': [
    bySigner({ identityRegExp: 'https://github\\.com/[a-f]{4}/.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern with letters beyond ASCII in any case': [
    bySigner({ identityRegExp: '(?i)https://github\\.com/é?x[0-9]/.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of one letter that anybody can lengthen': [
    bySigner({ identityRegExp: 'https://github\\.com/m[^/]*/.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of a word that any branch can have': [
    bySigner({ identityRegExp: '.*\\bacme\\b.*', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of lines that any branch can have': [
    bySigner({ identityRegExp: '(?m)(?:^.*acme$)', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of issuers under a top domain': [
    bySigner({ identity: 'https://github.com/acme/web', issuerRegExp: 'https://[a-z]+\\.com' }),
    ['any-issuer spec.signature.identities[0].issuerRegExp'],
  ],
  'a pattern of the issuers under a domain of our own': [
    bySigner({ identity: 'https://github.com/acme/web', issuerRegExp: 'https://[a-z]+\\.shop\\.example' }),
    [],
  ],
  'a pattern of a GitLab of our own': [
    bySigner({ identityRegExp: 'https://git\\.shop\\.example/.*', issuer: 'https://git.shop.example' }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of addresses, with an issuer that gives addresses only': [
    bySigner({ identityRegExp: '[^@]+@shop\\.example', issuer: 'https://accounts.google.com' }),
    [],
  ],
  'a pattern of addresses that a branch can be called by': [
    bySigner({ identityRegExp: '.*@shop\\.example', issuer: GITHUB }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of addresses of any domain': [
    bySigner({ identityRegExp: '[^@]+@.*', issuer: 'https://accounts.google.com' }),
    ['open-pattern spec.signature.identities[0].identityRegExp'],
  ],
  'a pattern of issuers that anybody can run': [
    bySigner({
      identity: 'https://github.com/acme/web',
      issuerRegExp: 'https://token.actions.githubusercontent.com.*',
    }),
    ['any-issuer spec.signature.identities[0].issuerRegExp'],
  ],
  'a pattern of the issuers of one host': [
    bySigner({
      identity: 'https://github.com/acme/web',
      issuerRegExp: 'https://token\\.actions\\.githubusercontent\\.com(/acme)?',
    }),
    [],
  ],
  'a pattern without an issuer': [
    bySigner({ identityRegExp: 'https://github\\.com/acme/.*' }),
    ['any-issuer spec.signature.identities[0]'],
  ],
  'an identity that a pattern beside it accepts': [
    bySigner(
      { identity: 'https://github.com/acme/web', issuer: GITHUB },
      { identityRegExp: 'https://github\\.com/acme/.*', issuer: GITHUB },
    ),
    ['repeated spec.signature.identities[0]'],
  ],
  'one builder by two keys, and one of them twice': [
    {
      provenance: {
        minLevel: 2,
        trustedBuilders: [
          builder('a', 2, { key: KEY }),
          builder('a', 2, { key: OTHER_KEY }),
          builder('a', 2, { key: KEY_REWRAPPED }),
        ],
      },
    },
    ['repeated spec.provenance.trustedBuilders[2]'],
  ],
  'a builder by its key, whose id reads like a pattern': [
    { provenance: { minLevel: 2, trustedBuilders: [builder('https://build.example/*', 2, { key: KEY })] } },
    [],
  ],
  'an open pattern of a builder': [
    { provenance: { minLevel: 1, trustedBuilders: [builder('a', 2, { identityRegExp: '.*' })] } },
    ['open-pattern spec.provenance.trustedBuilders[0].identityRegExp'],
  ],
  'an open pattern of a producer and of an attestation': [
    {
      attestations: [{ predicateType: 'x', identities: [{ identityRegExp: '.*', issuer: GITHUB }] }],
      vex: { mode: 'apply', trustedIssuers: [{ identityRegExp: '.*', issuer: GITHUB }] },
    },
    [
      'open-pattern spec.attestations[0].identities[0].identityRegExp',
      'open-pattern spec.vex.trustedIssuers[0].identityRegExp',
    ],
  ],
  'an identity with a plus and a dot is an address': [
    { signature: { required: true, identities: [{ identity: 'ci+release@shop.example', issuer: GITHUB }] } },
    [],
  ],
  'one key under two wrappings': [
    { attestations: [{ predicateType: 'x', keys: [KEY, OTHER_KEY, KEY_REWRAPPED] }] },
    ['repeated spec.attestations[0].keys[2]'],
  ],
  'a registry without a host': [
    { allowedRegistries: ['nginx', 'acme/app'] },
    ['registry-unreachable spec.allowedRegistries[0]', 'registry-unreachable spec.allowedRegistries[1]'],
  ],
  'registries with a host of every kind': [
    {
      allowedRegistries: [
        'localhost',
        'registry:5000',
        'REGISTRY.shop.example',
        '[::1]:5000',
        'index.docker.io/library',
      ],
    },
    [],
  ],
  'a host named like a part of Object.prototype': [
    { allowedRegistries: ['constructor'], breakGlass: { allowed: true, groups: ['constructor'] } },
    ['registry-unreachable spec.allowedRegistries[0]'],
  ],
  'a site where people look at images': [
    { allowedRegistries: ['hub.docker.com/r/acme'] },
    ['registry-unreachable spec.allowedRegistries[0]'],
  ],
  'a port that is none': [
    { allowedRegistries: ['r.example:70000'] },
    ['registry-unreachable spec.allowedRegistries[0]'],
  ],
  'an organisation with the name of an official image': [
    { allowedRegistries: ['docker.io/nginx'] },
    ['registry-official spec.allowedRegistries[0]'],
  ],
  'an organisation with the name of an official image that another entry covers': [
    { allowedRegistries: ['docker.io', 'docker.io/nginx'] },
    ['registry-official spec.allowedRegistries[1]', 'registry-covered spec.allowedRegistries[1]'],
  ],
  'an organisation of Docker Hub': [
    { allowedRegistries: ['docker.io/bitnami', 'docker.io/library/nginx'] },
    [],
  ],
  'a registry covered by another': [
    { allowedRegistries: ['ghcr.io/acme/web', 'GHCR.io/acme'] },
    ['registry-covered spec.allowedRegistries[0]'],
  ],
  'a registry whose name another one begins with': [
    { allowedRegistries: ['ghcr.io/acme', 'ghcr.io/acme-labs'] },
    [],
  ],
  'Docker Hub by both of its names': [
    { allowedRegistries: ['docker.io', 'index.docker.io'] },
    ['repeated spec.allowedRegistries[1]'],
  ],
  'latest denied where digests are required': [
    { denyLatestTag: true, digestEnforcement: 'require' },
    ['tag-covered spec.denyLatestTag'],
  ],
  'ignoreUnfixed without a threshold': [
    { severityThreshold: 'NONE', ignoreUnfixed: true, denyLatestTag: true },
    ['unfixed-unused spec.ignoreUnfixed'],
  ],
  'waiting for a scan that refuses nothing': [
    { severityThreshold: 'NONE', admissionTiming: 'DenyUntilScanned' },
    ['scan-unused spec.admissionTiming'],
  ],
  'waiting for a scan that the context may refuse': [
    {
      severityThreshold: 'NONE',
      admissionTiming: 'DenyUntilScanned',
      deploymentContext: { mode: 'Escalate' },
    },
    [],
  ],
  'signals while the context is ignored': [
    { deploymentContext: { signals: ['root'] } },
    ['signals-unused spec.deploymentContext.signals'],
  ],
  'escalation with no step': [
    {
      severityThreshold: 'LOW',
      knownExploited: 'block',
      endOfLifeOS: 'ignore',
      deploymentContext: { mode: 'Escalate' },
    },
    ['escalate-nothing spec.deploymentContext.mode'],
  ],
  'escalation with one step': [
    { severityThreshold: 'LOW', endOfLifeOS: 'block', deploymentContext: { mode: 'Escalate' } },
    [],
  ],
  'a signal twice': [
    { deploymentContext: { mode: 'Escalate', signals: ['root', 'root'] } },
    ['repeated spec.deploymentContext.signals[1]'],
  ],
  'reconciliation that enforces an audit': [
    { runtimeReconciliation: 'enforce' },
    ['reconcile-audit spec.runtimeReconciliation'],
  ],
  'reconciliation that enforces': [{ enforcement: 'Enforce', runtimeReconciliation: 'enforce' }, []],
  'a policy that refuses nothing': [{ severityThreshold: 'NONE' }, ['no-gate spec']],
  'windows that give the worse finding more time': [
    { sla: { critical: '48h', high: '24h', low: '30h' } },
    ['sla-order spec.sla.high', 'sla-order spec.sla.low'],
  ],
  'equal windows, some left out': [{ sla: { critical: '24h', medium: '24h' } }, []],
  'windows without one': [{ sla: {} }, ['sla-empty spec.sla']],
  'a triage alone declares how long it lasts': [{ sla: { triage: '720h' } }, []],
  'the namespace of the cluster itself': [
    { targetNamespaces: ['shop', 'kube-system'] },
    ['system-namespace spec.targetNamespaces[1]'],
  ],
  'a namespace twice': [{ targetNamespaces: ['shop', 'shop'] }, ['repeated spec.targetNamespaces[1]']],
  'a namespace of the cluster twice is one finding on what it is, and one that it repeats': [
    { targetNamespaces: ['kube-system', 'kube-system'] },
    ['system-namespace spec.targetNamespaces[0]', 'repeated spec.targetNamespaces[1]'],
  ],
  'an organisation that has the name of an official image twice': [
    { allowedRegistries: ['docker.io/nginx', 'docker.io/nginx'] },
    ['registry-official spec.allowedRegistries[0]', 'repeated spec.allowedRegistries[1]'],
  ],
  'a registry that is no host twice': [
    { allowedRegistries: ['acme', 'ghcr.io', 'acme'] },
    ['registry-unreachable spec.allowedRegistries[0]', 'repeated spec.allowedRegistries[2]'],
  ],
  'a group of everybody twice': [
    { breakGlass: { allowed: true, groups: ['system:authenticated', 'system:authenticated'] } },
    ['break-glass-open spec.breakGlass.groups[0]', 'repeated spec.breakGlass.groups[1]'],
  ],
  'an identity like a pattern twice': [
    {
      signature: {
        required: true,
        identities: [
          { identity: 'https://a.example/*', issuer: 'https://b.example' },
          { identity: 'https://a.example/*', issuer: 'https://b.example' },
        ],
      },
    },
    ['identity-pattern spec.signature.identities[0]', 'repeated spec.signature.identities[1]'],
  ],
  'break-glass for nobody': [
    { breakGlass: { allowed: true } },
    ['break-glass-nobody spec.breakGlass.allowed'],
  ],
  'break-glass groups without break-glass': [
    { breakGlass: { groups: ['oncall'] } },
    ['break-glass-off spec.breakGlass.groups'],
  ],
  'break-glass for everybody and for controllers': [
    {
      breakGlass: {
        allowed: true,
        groups: [
          'system:authenticated',
          'system:unauthenticated',
          'system:serviceaccounts',
          'system:serviceaccounts:kube-system',
          'system:serviceaccounts:ci',
          'system:nodes',
        ],
      },
    },
    Array.from({ length: 6 }, (_, i) => `break-glass-open spec.breakGlass.groups[${i}]`),
  ],
  'break-glass for cluster administrators': [
    { breakGlass: { allowed: true, groups: ['system:masters'] } },
    ['break-glass-masters spec.breakGlass.groups[0]'],
  ],
  'break-glass for a user and for a pattern': [
    { breakGlass: { allowed: true, groups: ['system:serviceaccount:ci:deployer', 'oncall-*'] } },
    ['break-glass-no-group spec.breakGlass.groups[0]', 'break-glass-no-group spec.breakGlass.groups[1]'],
  ],
  'break-glass for people': [{ breakGlass: { allowed: true, groups: ['shop:sre-oncall'] } }, []],
};

for (const [name, [spec, expected]] of Object.entries(CASES)) {
  test(name, () => assert.deepEqual(said(lint(spec)), expected));
}

/** What is said of policies beside each other, at the policy that should be looked at. */
const TOGETHER: Readonly<Record<string, readonly [specs: readonly unknown[], said: readonly string[]]>> = {
  'two enforcing policies that together allow no registry': [
    [
      { enforcement: 'Enforce', targetNamespaces: ['a', 'b'], allowedRegistries: ['ghcr.io'] },
      { enforcement: 'Enforce', targetNamespaces: ['b'], allowedRegistries: ['docker.io', 'ghcr.example'] },
    ],
    ['p1.yaml registries-disjoint spec.allowedRegistries'],
  ],
  'the same of namespaces that are not shared': [
    [
      { enforcement: 'Enforce', targetNamespaces: ['a'], allowedRegistries: ['ghcr.io'] },
      { enforcement: 'Enforce', targetNamespaces: ['b'], allowedRegistries: ['docker.io'] },
    ],
    [],
  ],
  'one inside the other': [
    [
      { enforcement: 'Enforce', allowedRegistries: ['ghcr.io'] },
      { enforcement: 'Enforce', allowedRegistries: ['GHCR.io/acme'] },
    ],
    [],
  ],
  'a stricter policy that only audits': [
    [
      { enforcement: 'Audit', targetNamespaces: ['a'], severityThreshold: 'HIGH' },
      { enforcement: 'Enforce', severityThreshold: 'CRITICAL' },
    ],
    ['p0.yaml audit-beside-enforce spec.enforcement'],
  ],
  'an audit that is stricter here and looser there': [
    [
      { enforcement: 'Audit', severityThreshold: 'HIGH' },
      { enforcement: 'Enforce', denyLatestTag: true },
    ],
    [],
  ],
  'a bypass that the other policy does not grant': [
    [
      { enforcement: 'Enforce', breakGlass: { allowed: true, groups: ['oncall'] } },
      { enforcement: 'Enforce', denyLatestTag: true },
    ],
    ['p0.yaml break-glass-partial spec.breakGlass'],
  ],
};

for (const [name, [specs, expected]] of Object.entries(TOGETHER)) {
  test(name, () =>
    assert.deepEqual(
      lint(...specs).map(({ file, rule, path }) => `${file} ${rule} ${path}`),
      expected,
    ),
  );
}

test('a name that two documents have is told at the second, with the file of the first', () => {
  const text = policyText({}, { name: 'twice' });
  const [problem, ...more] = lintPolicies([parsePolicies(text, 'one.yaml'), parsePolicies(text, 'two.yaml')]);
  assert.deepEqual([problem?.rule, problem?.file, more.length], ['same-name', 'two.yaml', 0]);
  assert.match(problem?.message ?? '', /one\.yaml/);
});

test('a policy that stops enforcing is a warning, what else became looser a notice, what became tighter is not told', () => {
  const before = parsed({
    enforcement: 'Enforce',
    severityThreshold: 'HIGH',
    allowedRegistries: ['ghcr.io/acme'],
  });
  const after = parsePolicies(
    policyText({ severityThreshold: 'CRITICAL', allowedRegistries: ['ghcr.io'], denyLatestTag: true }),
    'x',
  );
  const problems = lintPolicies([after], [before.policy]);
  assert.deepEqual(
    problems.map(({ level, rule, path }) => `${level} ${rule} ${path}`),
    [
      'warning enforce-to-audit spec.enforcement',
      'notice looser spec.severityThreshold',
      'notice looser spec.allowedRegistries',
    ],
  );
  assert.deepEqual(lintPolicies([after], [{ ...before.policy, name: 'another' }]), []);
});

test('the place is that of the field, or of the nearest parent that is written', () => {
  const text =
    'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: a}\nspec:\n  provenance:\n    minLevel: 2\n  vex: {mode: apply}\n';
  const places = lintPolicies([parsePolicies(text, 'x')]).map(
    ({ line, column, rule }) => `${line}:${column} ${rule}`,
  );
  assert.deepEqual(places, ['6:5 no-builder', '7:9 vex-nobody']);
});

test('foreign text in a warning cannot steer a terminal', () => {
  const [problem] = lint({ breakGlass: { allowed: true, groups: ['a*\u001b[2J\n'] } });
  assert.ok(!/\p{Cc}/u.test(problem?.message ?? '\u0000'));
});

const RULE_NAMED = /\b(?:rule: |rule = |(?:warn|fault|problem|remark)\(\s*)'([a-z-]+)'/g;

/** The code of some folders, by file, without the catalogue. */
function sourcesOf(...folders: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    const root = new URL(`../../${folder}/`, import.meta.url);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('catalogue.ts')) continue;
      sources.set(`${folder}/${name}`, readFileSync(new URL(name, root), 'utf8'));
    }
  }
  return sources;
}

test('every rule of the catalogue is raised by a test here or by the parser', () => {
  const sources = [...sourcesOf('src/policy', 'src/syntax', 'bin').values()].join('\n');
  for (const { id } of LINT_RULES) {
    if (id === 'encoding') continue; // raised where files are read
    assert.ok(sources.includes(`'${id}'`), `no code raises ${id}`);
  }
  const known = new Set(LINT_RULES.map(({ id }) => id));
  for (const [, [, expected]] of Object.entries({ ...CASES, ...TOGETHER })) {
    for (const line of expected)
      assert.ok(
        line.split(' ').some((word) => known.has(word)),
        line,
      );
  }
});

test('every rule that the code names is in the catalogue', () => {
  const known = new Set(LINT_RULES.map(({ id }) => id));
  const named = new Set<string>();
  for (const [file, source] of sourcesOf('src/policy', 'bin')) {
    // A rule is written as a property, or as the first word given to one of the makers of problems.
    for (const [, id = ''] of source.matchAll(RULE_NAMED)) {
      named.add(id);
      assert.ok(known.has(id), `${id} of ${file} is not in the catalogue`);
    }
  }
  for (const id of ['unformattable', 'one-policy', 'size', 'no-gate'])
    assert.ok(named.has(id), `${id} is overlooked`);
});

test('the manual page lists every rule', () => {
  const page = readFileSync(new URL('../../man/ipo-policy.1', import.meta.url), 'utf8').replaceAll(
    '\\-',
    '-',
  );
  for (const { id } of LINT_RULES) assert.ok(page.includes(`.TP\n\\fB${id}\\fR\n`), id);
});

test('each policy of the fixtures is clean on its own', (t) => {
  const folder = new URL('../../fixtures/policies/', import.meta.url);
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
    : [];
  if (names.length === 0) return t.skip('fixtures/policies was not made yet: npm run fixtures');
  for (const name of names) {
    const loud = lintPolicies([parsePolicies(readFileSync(new URL(name, folder), 'utf8'), name)]).filter(
      ({ level }) => level !== 'notice',
    );
    assert.deepEqual(said(loud), [], name);
  }
});
