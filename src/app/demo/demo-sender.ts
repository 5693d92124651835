import type { signingKeyOf } from '../../adapters/messengers/index.ts';
import { Sender } from '../../notify/index.ts';
import { channelStore, deliveryStore, type Store } from '../../store/index.ts';
import { openLog, Redactor } from '../../telemetry/index.ts';
import { openMessengers } from '../notify/index.ts';
import { openLine } from '../trackers/tracker-line.ts';
import type { DemoTime } from './demo-time.ts';

/** SILENT_LOG is the log of a demonstration, which nobody reads. */
export const SILENT_LOG = openLog({
  level: 'error',
  format: 'json',
  redactor: new Redactor(),
  write: () => undefined,
});

/** openDemoSender opens the sender of the service over a demonstration's outbox, for servers on this machine. */
export function openDemoSender({
  store,
  time,
  userAgent,
  key,
}: {
  readonly store: Store;
  readonly time: DemoTime;
  readonly userAgent: string;
  readonly key: ReturnType<typeof signingKeyOf>;
}): Sender {
  const channels = channelStore(store);
  return new Sender({
    store: deliveryStore(store),
    find: (id) => channels.get(id),
    messengers: openMessengers({
      line: openLine({ testLoopback: true, privateNetworks: 'allow' }, userAgent, time, time),
      source: 'urn:ipo:demo',
      key: async () => key,
      clock: time,
    }),
    isLeader: () => true,
    clock: time,
    log: SILENT_LOG,
    count: { add: () => undefined },
    noteError: async () => undefined,
  });
}
