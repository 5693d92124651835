import { z } from 'zod';
import { whole } from './parts.ts';

/** runtimeSettings say how long events of the runtime detector are kept, and how many pods may be stopped. */
export const runtimeSettings = z
  .strictObject({
    retentionDays: whole(
      0,
      36_500,
      'Days for which events of the runtime detector are kept. 0 keeps all. The counts of each day are kept as `evidence.retentionDays` says',
    ).default(90),
    maxStops: whole(
      1,
      1000,
      'Pods that are stopped within a minute at most, by runtime policies and by `runtimeReconciliation: enforce` together. Further stops are withheld or wait',
    ).default(10),
  })
  .prefault({});
