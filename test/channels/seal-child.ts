import { writeSync } from 'node:fs';
import { DataKey, sealPlainCredentials } from '../../src/channels/index.ts';
import { channelStore } from '../../src/store/channels/channels.ts';
import { openStore } from '../../src/store/engine/open.ts';

/**
 * Seals what is plain, as the leader does when it starts, until it kills itself. Arguments: address of the database, which sealing is
 * the last (0 for none), and whether it dies before it, inside its transaction or after its commit.
 */
const [url = '', last = '0', place = ''] = process.argv.slice(2);
// The test has just made the tables: to compare them would be half of what a start costs.
const store = await openStore({ url, migrate: false, checked: true, poolSize: 2 });
const channels = channelStore(store);
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let count = 0;
const die = (here: string): void => {
  if (count === Number(last) && here === place) process.kill(process.pid, 'SIGKILL');
};
const changed = await sealPlainCredentials({
  store: {
    credentials: channels.credentials,
    async seal(before, box) {
      count += 1;
      die('before');
      const sealed = await store.write(async () => {
        const done = await channels.seal(before, box);
        die('inside');
        return done;
      });
      die('after');
      return sealed;
    },
  },
  dataKey: DataKey.parse(process.env.DATA_KEY ?? ''),
  guard: () => {},
  log: quiet,
});
await store.close();
writeSync(1, String(changed));
