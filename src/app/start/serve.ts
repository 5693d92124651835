import { openMetrics } from '../../telemetry/index.ts';
import { loadConfig, type ConfigSources } from '../config/config.ts';
import { serveWith, type BasisOptions } from './serve-with.ts';
import type { RunningService } from './running-service.ts';
import { startService } from './service.ts';

export { secretsOf } from './serve-with.ts';

/** ServeOptions are what a door hands over to run the service in its process. */
export interface ServeOptions extends BasisOptions {
  readonly sources: ConfigSources;
  readonly version: string;
  /** Called once the service answers. */
  started?(service: RunningService): void;
}

/** serve runs the whole service in this process until a signal, and gives the exit code. Throws what kept the service from starting. */
export async function serve(options: ServeOptions): Promise<number> {
  return serveWith(await loadConfig(options.sources), options, async (basis) => {
    const service = await startService({ ...basis, version: options.version, metrics: openMetrics() });
    return {
      close: (graceMs, passedMs) => service.close(graceMs, passedMs),
      sayLeft: () => service.sayLeft(),
      started: () => options.started?.(service),
    };
  });
}
