import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { customResourceDefinitions } from '../../src/cluster/index.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { CHART } from './helm.ts';

interface Listed {
  readonly kind: string;
  readonly version: string;
  readonly name: string;
}

const { annotations } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as {
  readonly annotations: Readonly<Record<string, string>>;
};
const listed = (name: string): unknown => parse(annotations[`artifacthub.io/${name}`] ?? '');

test('the chart lists each custom resource that it installs', () => {
  const names = (listed('crds') as readonly Listed[]).map(({ kind, version, name }) => [kind, version, name]);
  const made = customResourceDefinitions() as unknown as readonly {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly names: { readonly kind: string };
      readonly versions: readonly { readonly name: string }[];
    };
  }[];
  assert.deepEqual(
    names,
    made.map(({ metadata, spec }) => [spec.names.kind, spec.versions[0]?.name, metadata.name]),
  );
});

test('the example that it lists is a policy that lint has nothing to say about', async () => {
  const [example] = listed('crdsExamples') as readonly object[];
  const { code, out, err } = await ipo(['policy', 'lint', '-'], { stdin: stringify(example) });
  assert.equal(code, 0, `${out}${err}`);
});
