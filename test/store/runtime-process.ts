import { flushCompileCache } from 'node:module';
import { openStore } from '../../src/store/engine/open.ts';
import { DecideEvents, parseEvent, type ReceivedEvent } from '../../src/runtime/index.ts';
import { decisionStore, runtimeIntake, runtimeRuleStore } from '../../src/store/index.ts';

/** Keeps events and decides them in a process of its own, which a test kills; says of each event when it is durable. Arguments: database, round. */
const [url = '', round = '0'] = process.argv.slice(2);
const AT = Date.UTC(2026, 10, 20, 6);
const IN_A_GROUP = 5;

function received(n: number): ReceivedEvent {
  const at = AT + Number(round) * 10_000 + n * 40;
  const event = parseEvent(
    JSON.stringify({
      ...{ rule: `Rule ${n % 3}`, priority: 'Notice', hostname: `node-${n % 4}`, tags: [] },
      ...{ time: new Date(at).toISOString(), output: `${round}/${n}`, output_fields: { n } },
    }),
    AT,
  );
  if ('fault' in event) throw new Error(event.fault);
  return { event, receivedAt: AT };
}

// The test has just made the tables: to compare them would be half of what a start costs.
const store = await openStore({ url, checked: true });
const intake = runtimeIntake(store);
const decide = new DecideEvents({
  ...{ cluster: '', store: decisionStore(store), rules: runtimeRuleStore(store), stopper: null },
  policies: { inEffect: async () => [] },
  pods: async () => ({ byUid: () => null, byName: () => null, byContainer: () => null, imageOf: () => null }),
  ...{ fence: () => null, clock: { now: () => AT }, count: { add() {} } },
});
// One that is killed does not keep what was compiled of it.
flushCompileCache();
process.stdout.write('ready\n');
const keep = async (): Promise<void> => {
  for (let n = 0; n < 5_000; n += IN_A_GROUP) {
    const group = Array.from({ length: IN_A_GROUP }, (_, i) => received(n + i));
    await intake.append('', group);
    process.stdout.write(`${group.map(({ event }) => event.output).join('\n')}\n`);
    await new Promise((next) => setImmediate(next));
  }
};
const judge = async (): Promise<void> => {
  for (;;) {
    await decide.run(new AbortController().signal);
    await new Promise((next) => setTimeout(next, 2));
  }
};
await Promise.all([keep(), judge()]);
