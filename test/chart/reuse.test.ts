import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chartPaths } from '../../scripts/chart/pages.ts';
import { CHART, render, withHelm, type Manifest } from './helm.ts';
import { EVERYTHING } from './every-value.ts';

/**
 * `helm upgrade --reuse-values` hands the templates the values of the release as the chart of that time completed them: what a
 * later chart added is missing. Here nothing is completed at all, so that each value is missing unless it is given.
 */
let bare = '';

before(async () => {
  bare = await mkdtemp(join(tmpdir(), 'ipo-chart-'));
  await cp(CHART, bare, { recursive: true });
  await writeFile(join(bare, 'values.yaml'), '{}\n');
});
after(() => rm(bare, { recursive: true, force: true }));

/** The keys of the two Secrets are made at random with each rendering that no cluster is asked in. */
function withoutKeys(objects: readonly Manifest[]): readonly unknown[] {
  return objects.map((object) =>
    object.kind === 'Secret' ? { ...object, data: Object.keys(object['data']) } : object,
  );
}

test('values of which none is there give what the defaults give', withHelm, async () => {
  assert.deepEqual(withoutKeys(await render({}, bare)), withoutKeys(await render()));
});

test('values of which the defaults were never known give the same as when they were', withHelm, async () => {
  assert.deepEqual(withoutKeys(await render(EVERYTHING, bare)), withoutKeys(await render(EVERYTHING)));
});

test('any one value, or group of values, may be null', withHelm, async () => {
  const plain = withoutKeys(await render());
  const paths = new Set(chartPaths().flatMap(({ path }) => parents(path)));
  // All of one depth at once: each run of helm takes its time.
  for (const depth of [1, 2, 3, 4]) {
    const nulls = [...paths].filter((path) => path.split('.').length === depth);
    const values = {};
    for (const path of nulls) put(values, path.split('.'));
    assert.deepEqual(withoutKeys(await render(values, bare)), plain, `depth ${depth}`);
  }
});

test('values of 1.1.0 that are no longer read are taken', withHelm, async () => {
  const old = { integrations: { detector: { existingSecret: 'falco-token', minPriority: 'Warning' } } };
  assert.deepEqual(withoutKeys(await render(old, bare)), withoutKeys(await render()));
});

function parents(path: string): readonly string[] {
  const steps = path.split('.');
  return steps.map((_, at) => steps.slice(0, at + 1).join('.'));
}

function put(values: Record<string, unknown>, [key = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) values[key] = null;
  else put((values[key] ??= {}) as Record<string, unknown>, rest);
}
