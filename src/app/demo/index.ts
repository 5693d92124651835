/**
 * The demonstrations: a ledger of its own, trackers and an inbox on loopback, and pods in memory.
 * It uses `config`, `notify`, `running`, `service`, `start` and `trackers`.
 */
export { DemoTime } from './demo-time.ts';
export { fillDemo } from './demo.ts';
export { holdFree } from './free-port.ts';
export { startTrackerDemo, type TrackerDemo } from './tracker-demo.ts';
export { startNotificationDemo } from './notification-demo.ts';
export type { DemoWorkload } from './demo-cluster.ts';
export { startRuntimeDemo, type DemoDecided, type DemoReport } from './runtime-demo.ts';
