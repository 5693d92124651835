/**
 * The demonstration: a ledger of its own, and trackers on loopback.
 * It uses `config`, `running`, `service` and `start`.
 */
export { DemoTime } from './demo-time.ts';
export { fillDemo } from './demo.ts';
export { holdFree } from './free-port.ts';
export { startTrackerDemo, type TrackerDemo } from './tracker-demo.ts';
