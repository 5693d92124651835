import { openMetrics } from '../../telemetry/index.ts';
import { startService } from './service.ts';
import { measureProcess } from './process-gauges.ts';
import { runPart, type RunPartOptions } from './run-part.ts';

/** runServicePart makes this process the service's part, without the webhook, of the service of its supervisor. */
export function runServicePart(
  options: Pick<RunPartOptions, 'process' | 'write'> & { readonly version: string },
): Promise<number> {
  const { version } = options;
  return runPart({
    ...options,
    name: 'service',
    start: (basis, { link, lives, migrated }) => {
      const metrics = openMetrics();
      measureProcess('service', lives, metrics);
      return startService({ ...basis, link, migrated, version, metrics });
    },
  });
}
