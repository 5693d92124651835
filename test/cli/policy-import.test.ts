import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const run = (text: string, ...more: string[]) => ipo(['policy', 'import', '-', ...more], { stdin: text });
const constraint = (kind: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'constraints.gatekeeper.sh/v1beta1', kind, metadata: { name: 'a' }, spec });

suite('ipo policy import', () => {
  test('prints policies that lint, and a rule that is the same exits 0', async () => {
    const { code, out, err } = await run(
      constraint('K8sAllowedRepos', { parameters: { repos: ['ghcr.io/', 'eu.foo.io/'] } }),
    );
    assert.equal(code, 0, err);
    assert.match(err, /stdin:1:\d+: same: K8sAllowedRepos a/);
    assert.equal((await ipo(['policy', 'lint', '-'], { stdin: out })).code, 0);
    const whatIf = await ipo(['whatif', '-', '-l', 'fixtures/ledger/shop.ndjson.gz', '-o', 'json'], {
      stdin: out,
    });
    assert.equal(whatIf.code, 0, whatIf.err);
  });

  test('what is weaker or left out is told and exits 1', async () => {
    const wider = await run(
      constraint('K8sDisallowedTags', { parameters: { tags: ['latest', 'dev'] } }),
      '-o',
      'json',
    );
    assert.equal(wider.code, 1);
    assert.deepEqual(JSON.parse(wider.out).counts, { same: 0, narrower: 0, wider: 1, not_covered: 0 });
    const left = await run(
      constraint('K8sDisallowedRepos', { parameters: { repos: ['x/'] } }),
      '-o',
      'table',
    );
    assert.equal(left.code, 1);
    assert.match(left.out, /not_covered[^]*ours lists what is allowed/);
  });

  test('hostile and strange files are told', async () => {
    assert.equal((await run('a: [')).code, 2);
    assert.equal((await run('kind: ConfigMap\napiVersion: v1\n')).code, 2);
    const mixed = await run(
      `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n---\n${constraint('K8sImageDigests', {})}\n`,
    );
    assert.equal(mixed.code, 0, mixed.err);
    assert.match(mixed.err, /skipped: CustomResourceDefinition/);
    const odd = {
      spec: {
        rules: [
          null,
          'x',
          {
            name: '\u001b[31m',
            match: { any: [{ resources: { kinds: ['Pod'] } }] },
            validate: { pattern: { spec: { containers: [{ image: '{{ x }}' }] } } },
          },
        ],
      },
    };
    const strange = await run(
      JSON.stringify({
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        metadata: { name: 'A/b' },
        ...odd,
      }),
    );
    assert.equal(strange.code, 1, strange.err);
    assert.ok(!strange.err.includes('\u001b'));
  });
});
