import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readScanReports } from '../../src/adapters/trivy/index.ts';
import {
  imageRoutes,
  scanRoutes,
  triageRoutes,
  vulnerabilityRoutes,
  type Route,
} from '../../src/api/index.ts';
import { openImages, openTriage, type PoliciesInForce } from '../../src/inventory/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import {
  auditLog,
  imageStore,
  openStore,
  scanQueue,
  scanStore,
  triageStore,
  vulnerabilityStore,
  type Store,
} from '../../src/store/index.ts';
import { AT } from '../store/image-records.ts';
import { startApi, type Started } from './service.ts';

/** InventoryApi is the API of images, vulnerabilities, scans and triage over a store, with policies and a clock that a test sets. */
export interface InventoryApi extends Started {
  readonly settings: { policies: readonly Policy[]; at: number };
  /** Actions of the audit log with their targets, oldest first. */
  audited(): Promise<readonly (readonly [action: string, target: string | null, actor: string | null])[]>;
}

/** inventoryRoutes gives the routes of images, vulnerabilities, scans and triage over a store. */
export function inventoryRoutes(store: Store, settings: InventoryApi['settings']): Route[] {
  const clock = { now: () => settings.at };
  const policies = async (): Promise<PoliciesInForce> => ({
    policies: settings.policies,
    key: JSON.stringify(settings.policies.map(({ revision }) => revision)),
  });
  const images = openImages({ store: imageStore(store), policies, coldImagePolicy: 'AllowAndScan', clock });
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const shared = { audit: auditLog(store, clock), clock, together, images };
  return [
    ...imageRoutes({ ...shared, scanQueue: scanQueue(store) }),
    ...scanRoutes({ ...shared, scans: scanStore(store), readReport: readScanReports }),
    ...triageRoutes({ ...shared, triage: openTriage({ store: triageStore(store), policies, clock }) }),
    ...vulnerabilityRoutes({ ...shared, vulnerabilities: vulnerabilityStore(store) }),
  ];
}

/** startInventory starts that API over a store, on loopback, until its test ends. */
export async function startInventory(
  t: TestContext,
  store: Store,
  policies: readonly Policy[] = [],
): Promise<InventoryApi> {
  const settings: InventoryApi['settings'] = { policies, at: AT };
  const started = await startApi(t, inventoryRoutes(store, settings));
  return {
    ...started,
    settings,
    audited: async () => {
      const rows = await store.read
        .selectFrom('audit')
        .select(['action', 'target', 'actor'])
        .orderBy('id')
        .execute();
      return rows.map(({ action, target, actor }) => [action, target, actor] as const);
    },
  };
}

/** openFolder opens a store in a directory of its own until the test ends; what the engines differ in is the store's tests' to hold. */
export async function openFolder(
  t: TestContext,
): Promise<{ readonly store: Store; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-inventory-'));
  const store = await openStore({ url: `sqlite:${join(folder, 'service.db')}` });
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, folder };
}

/** openFile opens a store as openFolder does. */
export async function openFile(t: TestContext): Promise<Store> {
  return (await openFolder(t)).store;
}
