/**
 * The demonstrations: a ledger of its own, and trackers and an inbox on loopback.
 * It uses `config`, `notify`, `running`, `service`, `start` and `trackers`.
 */
export { DemoTime } from './demo-time.ts';
export { fillDemo } from './demo.ts';
export { holdFree } from './free-port.ts';
export { startTrackerDemo, type TrackerDemo } from './tracker-demo.ts';
export { startNotificationDemo, type NotificationDemo } from './notification-demo.ts';
