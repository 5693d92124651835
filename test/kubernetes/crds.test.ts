import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { crdFiles } from '../../scripts/crds.ts';

const CRDS = join(import.meta.dirname, '..', '..', 'charts', 'image-policy-operator', 'files', 'crds');

test('the CustomResourceDefinitions of the chart are those that the schemas make', () => {
  assert.deepEqual(
    [...crdFiles().keys()],
    ['ipo.dev_imagepolicies.yaml', 'ipo.dev_runtimepolicies.yaml', 'ipo.dev_clusterimagereports.yaml'],
  );
  for (const [name, text] of crdFiles())
    assert.equal(readFileSync(join(CRDS, name), 'utf8'), text, `run node scripts/crds.ts (${name})`);
});

test('a definition has no default, no lookaround and a description on every field of the spec', () => {
  for (const text of crdFiles().values()) {
    const definition = parse(text) as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, Schema> } } }[] };
    };
    const { spec } = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
    assert.ok(spec);
    walk(spec, 'spec');
  }
});

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function walk(schema: Schema, at: string): void {
  assert.ok(schema.description, `${at} has no description`);
  assert.equal(schema.default, undefined, at);
  assert.doesNotMatch(schema.pattern ?? '', /\(\?[=!<]/, at);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) walk(inner, `${at}.${name}`);
  if (schema.items !== undefined) walk(schema.items, `${at}[]`);
}
