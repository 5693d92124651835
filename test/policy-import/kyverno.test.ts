import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parsePolicies } from '../../src/policy/index.ts';
import { importedText, importPolicies } from '../../src/policy-import/index.ts';

const PODS = { any: [{ resources: { kinds: ['Pod'] } }] };

/** What becomes of one rule of a ClusterPolicy: the outcome, what ours asks, and why it is not the same. */
function imported(rule: object): { outcome: string; asks: object[]; reasons: readonly string[] } {
  const document = {
    ...{ apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: { name: 'a' } },
    spec: { validationFailureAction: 'Enforce', rules: [{ name: 'r', match: PODS, ...rule }] },
  };
  return read(importPolicies([{ file: 'a.yaml', text: JSON.stringify(document) }]));
}

function read(result: ReturnType<typeof importPolicies>): ReturnType<typeof imported> {
  const [rule] = result.rules;
  assert.ok(rule);
  if (rule.outcome === 'not_covered') return { outcome: rule.outcome, asks: [], reasons: rule.reasons };
  const { policies, problems } = parsePolicies(importedText(result), 'ours.yaml');
  assert.deepEqual(problems, []);
  const asks = policies.map(({ policy }) => {
    const { allowedRegistries, denyLatestTag, digestEnforcement } = policy.spec;
    return {
      ...(allowedRegistries.length > 0 && { allowedRegistries: [...allowedRegistries] }),
      ...(denyLatestTag && { denyLatestTag }),
      ...(digestEnforcement === 'require' && { digestEnforcement }),
    };
  });
  return { outcome: rule.outcome, asks, reasons: rule.reasons };
}

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'];
const deny = (conditions: object) => imported({ validate: { deny: { conditions } } });
const each = (list: string, conditions: object) =>
  imported({ validate: { foreach: [{ list, deny: { conditions } }] } });
const registries = LISTS.map((list) => ({
  ...{
    key: `{{ images.${list}.*.registry || \`[]\` }}`,
    operator: 'AnyNotIn',
    value: ['ghcr.io', 'eu.gcr.io'],
  },
}));
const EVERY = 'request.object.spec.[initContainers, ephemeralContainers, containers][]';

suite('a rule of Kyverno that denies', () => {
  test('registries that are in no list, of containers of all kinds, are denied the same', () => {
    assert.deepEqual(deny({ any: registries }), {
      ...{ outcome: 'same', asks: [{ allowedRegistries: ['ghcr.io', 'eu.gcr.io'] }], reasons: [] },
    });
  });

  test('of containers only, ours judges the others too', () => {
    const { outcome, asks, reasons } = deny({ any: registries.slice(0, 1) });
    assert.deepEqual([outcome, asks], ['narrower', [{ allowedRegistries: ['ghcr.io', 'eu.gcr.io'] }]]);
    assert.deepEqual(reasons, ['containers of all kinds are judged']);
  });

  test('registries that are in a list are not covered, since ours lists what is allowed', () => {
    const { outcome, reasons } = deny({ any: [{ ...registries[0], operator: 'AnyIn' }] });
    assert.deepEqual([outcome, reasons], ['not_covered', ['ours lists what is allowed, not what is denied']]);
  });

  test('one of several conditions that is left out makes it wider', () => {
    const { outcome, asks } = deny({
      any: [
        ...registries,
        { key: '{{ images.containers.*.registry }}', operator: 'AnyIn', value: ['docker.io'] },
      ],
    });
    assert.deepEqual([outcome, asks.length], ['wider', 1]);
  });

  test('conditions that deny together become just one of them, which is narrower', () => {
    const labels = { key: '{{ request.object.metadata.labels.team }}', operator: 'Equals', value: 'a' };
    const { outcome, asks, reasons } = deny({ all: [labels, registries[0]] });
    assert.deepEqual([outcome, asks], ['narrower', [{ allowedRegistries: ['ghcr.io', 'eu.gcr.io'] }]]);
    assert.ok(reasons.includes('one of the conditions that deny together is enough'));
    const created = { key: '{{ request.operation }}', operator: 'AnyIn', value: ['CREATE', 'UPDATE'] };
    assert.deepEqual(deny({ all: [created, registries[0]] }).reasons, ['containers of all kinds are judged']);
    assert.equal(deny({ all: [registries[0]], any: [registries[1]] }).outcome, 'not_covered');
  });

  test('values that come from elsewhere are not covered', () => {
    for (const value of ['{{ allowed.data.registries }}', ['ghcr.io', '{{ x }}'], [], 7, null, [['a']]])
      assert.equal(
        deny({ any: [{ ...registries[0], value }] }).outcome,
        'not_covered',
        JSON.stringify(value),
      );
  });

  test('for each container: tags, digests and images', () => {
    const tag = {
      key: '{{ images.containers."{{element.name}}".tag }}',
      operator: 'Equals',
      value: 'latest',
    };
    const beside = 'the tag latest beside a digest is allowed';
    assert.deepEqual(each(EVERY, { any: [tag] }), {
      ...{ outcome: 'wider', asks: [{ denyLatestTag: true }], reasons: [beside] },
    });
    const tags = each(EVERY, { any: [{ ...tag, operator: 'AnyIn', value: ['latest', 'dev'] }] });
    assert.deepEqual(tags.reasons, [beside, '"dev" is not denied']);
    const digest = {
      ...{ key: '{{ images.containers."{{element.name}}".digest || \'\' }}', operator: 'Equals', value: '' },
    };
    assert.deepEqual(each(EVERY, { all: [digest] }).asks, [{ digestEnforcement: 'require' }]);
    const image = { key: '{{ element.image }}', operator: 'AnyNotIn', value: ['ghcr.io/acme/*'] };
    const images = each('request.object.spec.containers', { any: [image] });
    assert.deepEqual(images.asks, [{ allowedRegistries: ['ghcr.io/acme'] }]);
    assert.equal(
      each(EVERY, { any: [{ ...image, operator: 'Equals', value: '*:latest' }] }).outcome,
      'narrower',
    );
    assert.deepEqual(each(EVERY, { any: [{ ...image, operator: 'NotEquals', value: '*@sha256:*' }] }).asks, [
      { digestEnforcement: 'require' },
    ]);
  });

  test('any of several patterns: ours lets the containers of one pod match different ones', () => {
    const of = (image: string) => ({ spec: { containers: [{ image }] } });
    const { outcome, asks } = imported({ validate: { anyPattern: [of('ghcr.io/a/*'), of('quay.io/b/*')] } });
    assert.deepEqual([outcome, asks], ['wider', [{ allowedRegistries: ['ghcr.io/a', 'quay.io/b'] }]]);
    const other = { spec: { hostNetwork: false } };
    assert.equal(imported({ validate: { anyPattern: [of('ghcr.io/a/*'), other] } }).outcome, 'not_covered');
  });

  test('preconditions of a list of containers are told', () => {
    const foreach = [{ list: EVERY, preconditions: { all: [] }, pattern: { image: '*@sha256:*' } }];
    assert.ok(imported({ validate: { foreach } }).reasons.includes('preconditions are not carried over'));
  });
});

const cel = (expressions: string[], variables: object[] = []) =>
  imported({
    validate: { cel: { variables, expressions: expressions.map((expression) => ({ expression })) } },
  });
const SUM =
  'object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([])';

suite('a rule of Kyverno in CEL', () => {
  test('a variable that joins the lists of containers is read', () => {
    const all = [{ name: 'all', expression: SUM }];
    const allowed =
      'variables.all.all(c, c.image.startsWith(\'ghcr.io/\') || c.image.startsWith("quay.io/"))';
    assert.deepEqual(cel([allowed], all), {
      ...{ outcome: 'same', asks: [{ allowedRegistries: ['ghcr.io', 'quay.io'] }], reasons: [] },
    });
    assert.equal(
      cel([allowed], [{ name: 'all', expression: 'params.spec.containers' }]).outcome,
      'not_covered',
    );
    assert.deepEqual(cel([`(${SUM}).all(c, c.image.contains('@sha256:'))`]).outcome, 'same');
  });

  test('a list of prefixes, what must hold together, and lists that may not be there', () => {
    assert.deepEqual(
      cel(["object.spec.containers.all(c, ['ghcr.io/', 'quay.io/'].exists(p, c.image.startsWith(p)))"]).asks,
      [{ allowedRegistries: ['ghcr.io', 'quay.io'] }],
    );
    const lists = LISTS.map(
      (list) =>
        `(!has(object.spec.${list}) || object.spec.${list}.all(c, c.image.contains('@') && c.image.startsWith('a.io/')))`,
    ).join(' && ');
    const { outcome, asks } = cel([lists]);
    assert.deepEqual(
      [outcome, asks],
      ['same', [{ allowedRegistries: ['a.io'], digestEnforcement: 'require' }]],
    );
  });

  test('other forms are not covered, whatever they look like', () => {
    for (const expression of [
      "object.spec.containers.all(c, c.image.contains('@') || c.name == 'x')",
      "object.spec.containers.all(c, c.image.contains('@') && c.image.startsWith('a.io/') || c.image.startsWith('b.io/'))",
      "object.spec.containers.exists(c, c.image.contains('@'))",
      "object.spec.containers.all(c, d.image.contains('@'))",
      "!has(object.spec.initContainers) || object.spec.initContainers.all(c, c.image.contains('@')) && object.spec.containers.all(c, c.image.contains('@'))",
      "object.metadata.name != '' || object.spec.containers.all(c, c.image.contains('@'))",
      "object.spec.containers.all(c, ['a.io/'].exists(p, c.image.startsWith(q)))",
      '((((',
      '',
      ")) && object.spec.containers.all(c, c.image.contains('@'))",
    ])
      assert.equal(cel([expression]).outcome, 'not_covered', expression);
  });
});
