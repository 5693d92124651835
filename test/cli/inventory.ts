import type { TestContext } from 'node:test';
import type { Role } from '../../src/accounts/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import { recordScan, type Store } from '../../src/store/index.ts';
import { openFolder, startInventory, type InventoryApi } from '../api/inventory.ts';
import { append, AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { ipo, type Ran } from './fake-terminal.ts';

/** InventoryCli is the command line against a service with images, a store of its own behind it. */
export interface InventoryCli {
  readonly api: InventoryApi;
  readonly store: Store;
  /** A directory of its own. */
  readonly folder: string;
  /** Runs a command as somebody. */
  as(role: Role, ...args: readonly string[]): Promise<Ran>;
}

/** startCli starts a service of images with a few of them in each state, for the command line. */
export async function startCli(t: TestContext, policies: readonly Policy[] = []): Promise<InventoryCli> {
  const { store, folder } = await openFolder(t);
  await append(store, [
    {
      digest: digestOf(0xa1),
      image: 'ghcr.io/acme/web:1',
      allowed: false,
      reason: 'registry not allowed: ghcr.io',
      label: 'registry',
    },
    { digest: digestOf(0xb2), image: 'ghcr.io/acme/web:2' },
    { digest: digestOf(0xc3), image: 'ghcr.io/acme/job:3', namespace: 'ci', signals: ['root'] },
    { digest: digestOf(0xd4), image: 'quay.io/acme/tool:4' },
  ]);
  const findings = [
    finding('CVE-2', 'LOW'),
    finding('CVE-1', 'CRITICAL', { fixed: '1.1', knownExploited: true }),
  ];
  for (const [n, found] of [
    [0xb2, []],
    [0xc3, findings],
  ] as const)
    await store.write((transaction) =>
      recordScan(transaction, {
        digest: digestOf(n),
        names: [],
        source: null,
        scan: scanOf(found, { os: { family: 'alpine', name: '3.10', eosl: true } }),
        at: AT,
      }),
    );
  const api = await startInventory(t, store, policies);
  return {
    api,
    store,
    folder,
    as: (role, ...args) =>
      ipo([...args, '--server', api.url, '--token-stdin'], {
        stdin: `${role}-token`,
        env: { HOME: folder, XDG_CONFIG_HOME: folder },
      }),
  };
}
