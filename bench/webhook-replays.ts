import { lowerPriority, toIdleClass } from '../src/app/processes/lower-priority.ts';
import { parsePolicies } from '../src/policy/index.ts';
import { FactsCache, openStore, replaySource } from '../src/store/index.ts';
import { runWhatIf } from '../src/whatif/index.ts';
import { IN_FORCE } from './big-ledger.ts';
import { ENDS_AT } from './ledger-store.ts';

/** Replays all rows of a database again and again until it is killed: `webhook-replays.ts URL`. Writes a line after each. */
const [url = ''] = process.argv.slice(2);
// As the process of replays has it in the image.
lowerPriority(19);
toIdleClass();
const policy = parsePolicies(IN_FORCE.replace('CRITICAL', 'HIGH'), 'draft.yaml').policies[0]?.policy;
if (policy === undefined) throw new Error('no draft');
const store = await openStore({ url, readOnly: true });
const facts = new FactsCache();
for (;;) {
  const source = await replaySource(store, { coldImagePolicy: 'AllowAndScan', facts });
  const result = await runWhatIf({ draft: policy, asOf: ENDS_AT, days: 30, limit: 0, source: null }, source);
  process.stdout.write(`${result.evaluated}\n`);
}
