import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { readManifestDocuments } from '../../src/manifests/manifest-text.ts';
import { formatPolicies, lintPolicies, starterPolicy } from '../../src/policy/authoring.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { wordsOf } from '../../src/policy/yaml-words.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The remarks on words of YAML 1.1, as `line:column message`. */
function remarks(text: string): readonly string[] {
  const file = parsePolicies(text, 'p.yaml');
  assert.deepEqual(file.problems, []);
  return lintPolicies([file])
    .filter(({ rule }) => rule === 'yaml-words')
    .map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const HEAD = 'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: p\n';

suite('words of YAML 1.1', () => {
  test('in a policy are told with their place, and quoted by the formatter, which changes nothing else', () => {
    const text = `${HEAD}spec:\n  runtimeReconciliation: off\n  targetNamespaces: [no, y, on, shop]\n`;
    assert.deepEqual(remarks(text), [
      '6:3 off is the boolean false in YAML 1.1, which kubectl and Helm read',
      '7:22 no is the boolean false in YAML 1.1, which kubectl and Helm read',
      '7:26 y is the boolean true in YAML 1.1, which kubectl and Helm read',
      '7:29 on is the boolean true in YAML 1.1, which kubectl and Helm read',
    ]);
    const formatted = formatPolicies(text, 'p.yaml');
    assert.ok(formatted.kind === 'formatted');
    assert.match(formatted.text, /runtimeReconciliation: "off"/);
    assert.match(formatted.text, /targetNamespaces: \["no", "y", "on", shop\]/);
    assert.deepEqual(remarks(formatted.text), []);
    assert.deepEqual(parse(formatted.text, { version: '1.1' }), parse(text, { version: '1.2' }));
    const [before, after] = [text, formatted.text].map(
      (one) => parsePolicies(one, 'p').policies[0]?.policy.revision,
    );
    assert.equal(before, after);
  });
  test('with quotes, and words of both versions, are not', () => {
    assert.deepEqual(
      remarks(
        `${HEAD}spec:\n  runtimeReconciliation: 'off'\n  targetNamespaces: ["no", shop-1]\n  denyLatestTag: true\n`,
      ),
      [],
    );
  });
  test('as names, and numbers that are others there', () => {
    const text = `${HEAD}  labels:\n    y: "1"\nspec:\n  provenance:\n    minLevel: 03\n    trustedBuilders: []\n`;
    assert.deepEqual(remarks(text), [
      '6:5 the name y is the boolean true in YAML 1.1, which kubectl and Helm read',
    ]);
    const formatted = formatPolicies(text, 'p.yaml');
    assert.ok(formatted.kind === 'formatted' && formatted.text.includes('    "y": "1"'));
  });

  /** What each text is to the YAML library of kubectl and Helm, or to others; null where it is the same everywhere. */
  const table: Readonly<Record<string, string | null>> = {
    ...{ y: 'the boolean true', Y: 'the boolean true', yes: 'the boolean true', YES: 'the boolean true' },
    ...{ on: 'the boolean true', On: 'the boolean true', n: 'the boolean false', N: 'the boolean false' },
    ...{ No: 'the boolean false', OFF: 'the boolean false', off: 'the boolean false' },
    ...{
      '1_000': 'the number 1000',
      '0b11': 'the number 3',
      '12:30': 'the number 750',
      '1:2:3.5': 'the number 3723.5',
    },
    ...{ '2026-01-01': 'a time', '2026-01-01T00:00:00Z': 'a time', '1_0.5': 'the number 10.5' },
    ...{
      oN: null,
      yep: null,
      '=': null,
      shop: null,
      'ghcr.io/acme': null,
      'localhost:5000': null,
      '1.2.3': null,
    },
    ...{ '24h': null, '2026-1': null, x12: null, 'off-by-one': null },
  };
  for (const [source, other] of Object.entries(table))
    test(`${source}: ${other ?? 'a text everywhere'}`, () => {
      assert.equal(wordsOf(source, source)?.other ?? null, other);
      assert.equal(typeof parse(`a: ${source}`, { version: '1.2', schema: 'core' }).a, 'string');
    });
  test('numbers that are others', () => {
    assert.equal(wordsOf('017', 17)?.other, 'the number 15');
    assert.equal(wordsOf('07', 7), null);
    assert.equal(wordsOf('17', 17), null);
    assert.equal(wordsOf('.inf', Infinity), null);
    assert.equal(wordsOf('true', true), null);
    assert.equal(wordsOf('~', null), null);
  });

  test('stand in no file that this repository has to show, nor in what `policy init` writes', () => {
    const starter = {
      name: 'no',
      enforce: true,
      namespaces: ['off', 'y', 'shop'],
      registries: ['on', 'ghcr.io/acme'],
    };
    assert.deepEqual(remarks(starterPolicy(starter)), []);
    const files = ['fixtures/policies', 'charts', 'docs'].flatMap((folder) => yamlIn(join(ROOT, folder)));
    assert.ok(files.length > 5);
    for (const [name, text] of files)
      assert.deepEqual(
        parse(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false }),
        parse(text, { version: '1.2', schema: 'core', merge: true, logLevel: 'silent', uniqueKeys: false }),
        name,
      );
  });

  test('are read in manifests as the API server reads them', () => {
    const text = 'kind: Pod\na: [yes, 017, 0_0, 1_000, 0b11, 08, -010, 0x1_F, 0o17, 12, "010"]\n';
    const [document] = [...readManifestDocuments(text, 'f')];
    assert.deepEqual((document?.value as { a: unknown } | undefined)?.a, [
      true,
      15,
      0,
      1000,
      3,
      8,
      -8,
      31,
      15,
      12,
      '010',
    ]);
  });
});

/** Files of YAML, and those blocks of pages; templates of Helm are none. */
function yamlIn(folder: string): readonly (readonly [name: string, text: string])[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'templates' ? [] : yamlIn(path);
    const text = readFileSync(path, 'utf8');
    if (/\.ya?ml$/.test(name)) return text.includes('\n---\n') ? [] : [[path, text] as const];
    if (!name.endsWith('.md')) return [];
    return [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
      .map((match, i) => [`${path} block ${i + 1}`, match[1] ?? ''] as const)
      .filter(([, block]) => !block.includes('\n---\n') && !block.includes('{{'));
  });
}
