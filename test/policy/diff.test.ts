import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffPolicies, loadAuthoring, parsePolicies } from '../../src/policy/index.ts';
import { JUDGED_PATHS } from '../../src/policy/direction.ts';
import { allFields } from '../../src/policy/fields.ts';
import { KEY, KEY_REWRAPPED, OTHER_KEY, parsed, policyText } from './policy-text.ts';

const { comparePolicies, judgeChanges, showValue } = await loadAuthoring();

const said = (before: unknown, after: unknown): string[] =>
  judgeChanges(parsed(before).policy.spec, parsed(after).policy.spec).map(
    ({ path, direction }) => `${direction} ${path.slice(5)}`,
  );

const signed = (...identities: readonly object[]): object => ({ signature: { required: true, identities } });
const built = (minLevel: number, ...trustedBuilders: readonly object[]): object => ({
  provenance: { minLevel, trustedBuilders },
});

/** Each case: two specs, and every change from the first to the second. */
const CASES: Readonly<Record<string, readonly [before: unknown, after: unknown, said: readonly string[]]>> = {
  'defaults written out': [
    {},
    { enforcement: 'Audit', vex: { mode: 'ignore', trustedIssuers: [] }, targetNamespaces: [] },
    [],
  ],
  'one duration spelt in two ways': [{ sla: { critical: '168h' } }, { sla: { critical: '168h0m0s' } }, []],
  'lists in another order, with an entry twice': [
    { targetNamespaces: ['a', 'b'] },
    { targetNamespaces: ['b', 'a', 'b'] },
    [],
  ],
  'the signals left empty or written out': [
    { deploymentContext: { mode: 'Escalate' } },
    {
      deploymentContext: {
        mode: 'Escalate',
        signals: ['exposed', 'root', 'privileged', 'hostNamespace', 'hostFilesystem', 'capabilities'],
      },
    },
    [],
  ],
  'one key under two wrappings': [
    { signature: { required: true, keys: [KEY] } },
    { signature: { required: true, keys: [KEY_REWRAPPED] } },
    [],
  ],
  'Docker Hub by both of its names': [
    { allowedRegistries: ['docker.io/acme'] },
    { allowedRegistries: ['index.docker.io/acme'] },
    [],
  ],
  'namespaces gained': [
    { targetNamespaces: ['a'] },
    { targetNamespaces: ['a', 'b'] },
    ['tighter targetNamespaces'],
  ],
  'namespaces lost': [{}, { targetNamespaces: ['a'] }, ['looser targetNamespaces']],
  'namespaces exchanged': [
    { targetNamespaces: ['a'] },
    { targetNamespaces: ['b'] },
    ['neither targetNamespaces'],
  ],
  'Audit to Enforce': [{}, { enforcement: 'Enforce' }, ['tighter enforcement']],
  'Enforce to Audit': [{ enforcement: 'Enforce' }, {}, ['looser enforcement']],
  'a threshold lowered': [{}, { severityThreshold: 'HIGH' }, ['tighter severityThreshold']],
  'a threshold given up': [
    { severityThreshold: 'LOW' },
    { severityThreshold: 'NONE' },
    ['looser severityThreshold'],
  ],
  'unfixed findings ignored': [{}, { ignoreUnfixed: true }, ['looser ignoreUnfixed']],
  'waiting for scans': [{}, { admissionTiming: 'DenyUntilScanned' }, ['tighter admissionTiming']],
  'registries limited for the first time': [
    {},
    { allowedRegistries: ['ghcr.io'] },
    ['tighter allowedRegistries'],
  ],
  'registries no longer limited': [{ allowedRegistries: ['ghcr.io'] }, {}, ['looser allowedRegistries']],
  'a registry narrowed to a path': [
    { allowedRegistries: ['ghcr.io'] },
    { allowedRegistries: ['ghcr.io/acme'] },
    ['tighter allowedRegistries'],
  ],
  'a registry covered by one that was there': [
    { allowedRegistries: ['ghcr.io'] },
    { allowedRegistries: ['ghcr.io', 'ghcr.io/acme'] },
    ['neither allowedRegistries'],
  ],
  'a registry exchanged': [
    { allowedRegistries: ['ghcr.io'] },
    { allowedRegistries: ['quay.io'] },
    ['neither allowedRegistries'],
  ],
  'latest denied': [{}, { denyLatestTag: true }, ['tighter denyLatestTag']],
  'digests required': [
    { digestEnforcement: 'warn' },
    { digestEnforcement: 'require' },
    ['tighter digestEnforcement'],
  ],
  'a signature asked for': [
    {},
    { signature: { required: true, keys: [KEY] } },
    ['tighter signature.required', 'neither signature.keys'],
  ],
  'another key accepted': [
    { signature: { required: true, keys: [KEY] } },
    { signature: { required: true, keys: [KEY, OTHER_KEY] } },
    ['looser signature.keys'],
  ],
  'an identity exchanged for a pattern that holds it': [
    signed({ identity: 'ci@shop.example', issuer: 'i' }),
    signed({ identityRegExp: '[a-z]+@shop\\.example', issuer: 'i' }),
    ['looser signature.identities'],
  ],
  'a pattern exchanged for an identity in it': [
    signed({ identityRegExp: '[a-z]+@shop\\.example' }),
    signed({ identity: 'ci@shop.example' }),
    ['tighter signature.identities'],
  ],
  'a pattern exchanged for an identity outside of it': [
    signed({ identityRegExp: '[a-z]+@shop\\.example' }),
    signed({ identity: 'ci2@shop.example' }),
    ['neither signature.identities'],
  ],
  'a pattern widened': [
    signed({ identityRegExp: 'https://github\\.com/acme/web/v[0-9]+' }),
    signed({ identityRegExp: '^https://github\\.com/acme/.*$' }),
    ['looser signature.identities'],
  ],
  'a pattern narrowed': [
    signed({ identityRegExp: 'https://github\\.com/acme/.*' }),
    signed({ identityRegExp: 'https://github\\.com/acme/(web|shop)/.*' }),
    ['tighter signature.identities'],
  ],
  'a pattern exchanged for another': [
    signed({ identityRegExp: 'a+b' }),
    signed({ identityRegExp: 'ab+' }),
    ['neither signature.identities'],
  ],
  'a pattern spelt in another way': [
    signed({ identityRegExp: 'a+' }),
    signed({ identityRegExp: 'aa*' }),
    ['neither signature.identities'],
  ],
  'a pattern with words in it for one that accepts more': [
    signed({ identityRegExp: 'a\\b.*' }),
    signed({ identityRegExp: '.*' }),
    ['looser signature.identities'],
  ],
  'an issuer exchanged for a pattern that holds it': [
    signed({ identity: 'a', issuer: 'https://gitlab.com' }),
    signed({ identity: 'a', issuerRegExp: 'https://.*' }),
    ['looser signature.identities'],
  ],
  'a pattern of issuers for any issuer': [
    signed({ identity: 'a' }),
    signed({ identity: 'a', issuerRegExp: 'https://.*' }),
    ['tighter signature.identities'],
  ],
  'a pattern of identities with another issuer': [
    signed({ identity: 'a', issuer: 'x' }),
    signed({ identityRegExp: '.*', issuer: 'y' }),
    ['neither signature.identities'],
  ],
  'the signer of an attestation exchanged for a pattern': [
    { attestations: [{ predicateType: 'x', identities: [{ identity: 'abc' }] }] },
    { attestations: [{ predicateType: 'x', identities: [{ identityRegExp: 'a.c' }] }] },
    ['looser attestations'],
  ],
  'the signer of a builder exchanged for a pattern': [
    built(2, { id: 'b', level: 2 }),
    built(2, { id: 'b', level: 2, identityRegExp: '[a-z]' }),
    ['looser provenance.trustedBuilders'],
  ],
  'a pattern of a builder exchanged for its signer': [
    built(2, { id: 'b', level: 2, identityRegExp: '[a-z]' }),
    built(2, { id: 'b', level: 2, signer: 'x', issuer: 'i' }),
    ['tighter provenance.trustedBuilders'],
  ],
  'a builder trusted by its key under another wrapping': [
    built(2, { id: 'b', level: 2, key: KEY }),
    built(2, { id: 'b', level: 2, key: KEY_REWRAPPED }),
    [],
  ],
  'a builder trusted by another key': [
    built(2, { id: 'b', level: 2, key: KEY }),
    built(2, { id: 'b', level: 2, key: OTHER_KEY }),
    ['neither provenance.trustedBuilders'],
  ],
  'a builder trusted by its key as well': [
    built(2, { id: 'b', level: 2 }),
    built(2, { id: 'b', level: 2 }, { id: 'b', level: 2, key: KEY }),
    ['looser provenance.trustedBuilders'],
  ],
  'a builder trusted by its key instead of itself': [
    built(2, { id: 'b', level: 2 }),
    built(2, { id: 'b', level: 2, key: KEY }),
    ['neither provenance.trustedBuilders'],
  ],
  'a producer exchanged for a pattern': [
    { vex: { mode: 'apply', trustedIssuers: [{ identity: 'a@b' }, { key: KEY }] } },
    { vex: { mode: 'apply', trustedIssuers: [{ identityRegExp: '.*@b' }, { key: KEY_REWRAPPED }] } },
    ['looser vex.trustedIssuers'],
  ],
  'a producer exchanged for a key': [
    { vex: { mode: 'apply', trustedIssuers: [{ identityRegExp: '.*' }] } },
    { vex: { mode: 'apply', trustedIssuers: [{ key: KEY }] } },
    ['neither vex.trustedIssuers'],
  ],
  'an issuer pinned': [
    signed({ identity: 'a' }),
    signed({ identity: 'a', issuer: 'i' }),
    ['tighter signature.identities'],
  ],
  'an issuer given up': [
    signed({ identity: 'a', issuer: 'i' }),
    signed({ identity: 'a' }),
    ['looser signature.identities'],
  ],
  'an attestation more': [
    {},
    { attestations: [{ predicateType: 'a', keys: [KEY] }] },
    ['tighter attestations'],
  ],
  'an attestation less': [
    { attestations: [{ predicateType: 'a', keys: [KEY] }] },
    {},
    ['looser attestations'],
  ],
  'another signer of an attestation': [
    { attestations: [{ predicateType: 'a', keys: [KEY] }] },
    { attestations: [{ predicateType: 'a', keys: [KEY, OTHER_KEY] }] },
    ['looser attestations'],
  ],
  'a level raised': [
    built(1, { id: 'a', level: 3 }),
    built(2, { id: 'a', level: 3 }),
    ['tighter provenance.minLevel'],
  ],
  'a builder more': [
    built(2, { id: 'a', level: 2 }),
    built(2, { id: 'a', level: 2 }, { id: 'b', level: 3 }),
    ['looser provenance.trustedBuilders'],
  ],
  'a builder more that is never accepted': [
    built(2, { id: 'a', level: 2 }),
    built(2, { id: 'a', level: 2 }, { id: 'b', level: 1 }),
    ['neither provenance.trustedBuilders'],
  ],
  'a builder whose issuer is pinned': [
    built(2, { id: 'a', level: 2 }),
    built(2, { id: 'a', level: 2, issuer: 'i' }),
    ['tighter provenance.trustedBuilders'],
  ],
  'builders while no level is asked for': [
    built(0),
    built(0, { id: 'a', level: 2 }),
    ['neither provenance.trustedBuilders'],
  ],
  'VEX applied': [
    {},
    { vex: { mode: 'apply', trustedIssuers: [{ key: KEY }] } },
    ['looser vex.mode', 'neither vex.trustedIssuers'],
  ],
  'a producer more': [
    { vex: { mode: 'apply', trustedIssuers: [{ key: KEY }] } },
    { vex: { mode: 'apply', trustedIssuers: [{ key: KEY }, { identity: 'a', issuer: 'i' }] } },
    ['looser vex.trustedIssuers'],
  ],
  'known exploited blocked': [{}, { knownExploited: 'block' }, ['tighter knownExploited']],
  'end of life ignored': [{}, { endOfLifeOS: 'ignore' }, ['looser endOfLifeOS']],
  'the context escalates': [
    {},
    { deploymentContext: { mode: 'Escalate' } },
    ['tighter deploymentContext.mode'],
  ],
  'fewer signals': [
    { deploymentContext: { mode: 'Escalate' } },
    { deploymentContext: { mode: 'Escalate', signals: ['root'] } },
    ['looser deploymentContext.signals'],
  ],
  'hardening blocks': [{}, { workloadHardening: 'block' }, ['tighter workloadHardening']],
  'reconciliation off': [{}, { runtimeReconciliation: 'off' }, ['looser runtimeReconciliation']],
  'windows declared': [
    {},
    { sla: { critical: '24h', low: '720h' } },
    ['tighter sla.critical', 'tighter sla.low'],
  ],
  'windows no longer declared': [{ sla: { high: '24h' } }, {}, ['looser sla.high']],
  'a longer window': [{ sla: { medium: '24h' } }, { sla: { medium: '25h' } }, ['looser sla.medium']],
  'the triage that lasts anyway written out': [
    { sla: { critical: '24h' } },
    { sla: { critical: '24h', triage: '2160h' } },
    ['neither sla.triage'],
  ],
  'break-glass allowed': [
    {},
    { breakGlass: { allowed: true, groups: ['a'] } },
    ['looser breakGlass.allowed', 'neither breakGlass.groups'],
  ],
  'a group more': [
    { breakGlass: { allowed: true, groups: ['a'] } },
    { breakGlass: { allowed: true, groups: ['a', 'b'] } },
    ['looser breakGlass.groups'],
  ],
};

for (const [name, [before, after, expected]] of Object.entries(CASES)) {
  test(name, () => assert.deepEqual(said(before, after), expected));
}

test('every field of the schema can be judged, and nothing else is', () => {
  const leaves = allFields(['spec'])
    .filter((path) => allFields(path).length === 0)
    .map((path) => path.join('.'));
  assert.deepEqual([...JUDGED_PATHS].toSorted(), leaves.toSorted());
  const seen = new Set(
    Object.values(CASES).flatMap(([, , lines]) => lines.map((line) => `spec.${line.split(' ')[1]}`)),
  );
  assert.deepEqual(
    leaves.filter((path) => !seen.has(path)),
    [],
    'a case above for each',
  );
});

test('whatif is told the same changes, lists whole', () => {
  const [before, after] = [
    parsed({ targetNamespaces: ['a'] }),
    parsed({ targetNamespaces: ['a', 'b'], sla: { low: '720h' } }),
  ];
  assert.deepEqual(diffPolicies(before.policy.spec, after.policy.spec), [
    { path: 'spec.targetNamespaces', before: ['a'], after: ['a', 'b'] },
    { path: 'spec.sla.low', before: undefined, after: '720h' },
  ]);
});

test('entries that kept their name are told as changed, the others as added and removed', () => {
  const [before, after] = [
    parsed(built(2, { id: 'a', level: 2 }, { id: 'b', level: 2 })),
    parsed(built(2, { id: 'a', level: 3 }, { id: 'c', level: 2 })),
  ];
  const [change] = judgeChanges(before.policy.spec, after.policy.spec);
  assert.deepEqual(change?.entries, {
    added: [{ id: 'c', level: 2 }],
    removed: [{ id: 'b', level: 2 }],
    changed: [{ before: { id: 'a', level: 2 }, after: { id: 'a', level: 3 } }],
  });
});

test('policies are paired by name; one on each side are the same policy, renamed', () => {
  const file = (...names: readonly string[]) =>
    parsePolicies(names.map((name) => policyText({}, { name })).join('\n---\n'), `${names.join('+')}.yaml`);
  const several = comparePolicies(file('a', 'b'), file('b', 'c'));
  assert.deepEqual(
    several.policies.map(({ name, status }) => `${status} ${name}`),
    ['removed a', 'same b', 'added c'],
  );
  const renamed = comparePolicies(file('a'), file('b'));
  assert.deepEqual(
    renamed.policies.flatMap(({ changes }) => changes.map(({ path }) => path)),
    ['metadata.name'],
  );
});

test('values are shown as people say them', () => {
  assert.equal(showValue('spec.allowedRegistries', []), 'any');
  assert.equal(showValue('spec.targetNamespaces', []), 'the whole cluster');
  assert.equal(showValue('spec.sla.low', undefined), 'not set');
  assert.match(
    showValue('spec.signature.keys', [KEY, OTHER_KEY]),
    /^\[ECDSA P-256 key [0-9a-f]{12}, Ed25519 key [0-9a-f]{12}\]$/,
  );
});
