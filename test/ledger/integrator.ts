import { setImmediate as nextTurn } from 'node:timers/promises';
import { toSigner } from '../../src/ledger/index.ts';
import { openStore } from '../../src/store/index.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { ORIGIN, treeOf } from './grown.ts';

/** One of several processes that grow and sign the same tree, until it covers as many rows as it is told. */
const [url = ''] = process.argv.slice(2);
const store = await openStore({ url, migrate: false });
const tree = treeOf(store, toSigner(ORIGIN, process.env.IPO_TEST_KEY ?? ''));
let until = Infinity;
process.on('message', (message: { until: number }) => (until = message.until));
process.send?.('ready');
while ((await ledgerTree(store).size()) < until) {
  await tree.integrate(97);
  await tree.checkpoint();
  await nextTurn(); // hears of messages
}
await store.close();
process.disconnect();
