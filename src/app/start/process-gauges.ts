import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { CountingMetrics } from '../webhook/count-relay.ts';
import type { PartName } from '../processes/part-messages.ts';

/** How closely delays of the event loop are looked at, in milliseconds. */
const RESOLUTION = 5;

/** measureProcess measures the process of a part at each scrape; `lives`: how often it was started again since `ipod` began. */
export function measureProcess(part: PartName, lives: number, metrics: CountingMetrics): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  const labels = { part };
  metrics.set('svc_part_restarts', lives, labels);
  metrics.collect(async () => {
    metrics.set('svc_part_memory_bytes', process.memoryUsage.rss(), labels);
    const { user, system } = process.cpuUsage();
    metrics.set('svc_part_cpu_seconds', (user + system) / 1e6, labels);
    metrics.set('svc_part_event_loop_delay_seconds', delay.max / 1e9, labels);
    delay.reset();
  });
}
