import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { CheckDocument } from '../../src/checks/index.ts';
import { admissionDefaultsRoutes } from '../../src/api/index.ts';
import { startApi } from '../api/service.ts';
import { inventoryRoutes, openFolder } from '../api/inventory.ts';
import { AT, digestOf } from '../store/image-records.ts';
import { ipo } from './fake-terminal.ts';

/** An image that no service ever met, and a policy that leaves images without a scan to the installation. */
const UNKNOWN = `ghcr.io/acme/new@${digestOf(0x77)}`;
const POLICY =
  'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: base }\nspec: { enforcement: Enforce }\n';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-check-defaults-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

for (const [coldImagePolicy, code] of [
  ['DenyUntilScanned', 1],
  ['AllowAndScan', 0],
] as const)
  test(`an image that the service never met is judged by its ${coldImagePolicy}, as its webhook judges it`, async (t) => {
    const folder = scratch(t);
    const { store } = await openFolder(t);
    const { url } = await startApi(t, [
      ...inventoryRoutes(store, { policies: [], at: AT }),
      ...admissionDefaultsRoutes({ coldImagePolicy }),
    ]);
    const policy = join(folder, 'policy.yaml');
    writeFileSync(policy, POLICY);
    const ran = await ipo(
      ['check', '-o', 'json', '-p', policy, '--registry', 'never', '--server', url, '--token-stdin', UNKNOWN],
      { stdin: 'viewer-token', env: { HOME: folder, XDG_CONFIG_HOME: folder } },
    );
    const { cold_image_policy: used, results } = JSON.parse(ran.out) as CheckDocument;
    assert.deepEqual(
      [ran.code, used, results[0]?.label ?? null],
      [code, coldImagePolicy, code === 1 ? 'unscanned' : null],
    );
  });
