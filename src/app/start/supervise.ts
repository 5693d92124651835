import { join, resolve } from 'node:path';
import { openLog, Redactor } from '../../telemetry/index.ts';
import { loadConfig, type Config, type ConfigSources } from '../config/config.ts';
import { readConfigText } from '../config/file.ts';
import { LineWriter } from '../processes/line-writer.ts';
import { Supervisor, type SupervisorOptions } from '../processes/supervisor.ts';
import { openDataDirectory } from '../running/data-directory.ts';
import { carryConfig } from '../processes/carried-config.ts';
import type { ServeOptions } from './serve.ts';
import { END_MS } from '../running/shutdown.ts';
import { keptTimers } from '../running/timers.ts';

/** SuperviseOptions are what the daemon hands over to run the service as processes. */
export interface SuperviseOptions extends Omit<ServeOptions, 'started' | 'pretty' | 'sources'> {
  readonly sources: Omit<ConfigSources, 'file'> & { readonly file: string | null };
  readonly entries?: SupervisorOptions['entries'];
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const FAILED = 3;
/** Parts give an end up by themselves; a moment later they are killed with the daemon. */
const LATE_MS = 1_000;

/**
 * supervise runs a service with a webhook as processes, and gives the exit code; one without a webhook runs in this process. Throws what
 * is wrong with the settings.
 */
export async function supervise(options: SuperviseOptions): Promise<number> {
  const { sources } = options;
  const file =
    sources.file === null ? null : { name: sources.file, text: await readConfigText(sources.file) };
  const config: Config = await loadConfig({ ...sources, file });
  const { settings } = config;
  if (settings.webhook.listen === undefined) {
    const { serve } = await import('./whole-service.ts');
    return serve({ ...options, sources: { ...sources, file } });
  }
  // What a part keeps there before it opens the directory must not be what makes it, for everybody to read.
  if (settings.data !== undefined) await openDataDirectory(settings.data);
  const lines = new LineWriter(1);
  const { level, format } = settings.log;
  const log = openLog({ level, format, redactor: new Redactor(), write: (line) => lines.line(line) });
  const supervisor = new Supervisor({
    config: carryConfig(config),
    env: sources.env,
    log,
    timers: keptTimers,
    ...(settings.data !== undefined && { compiled: join(resolve(settings.data), 'compiled') }),
    ...(options.entries !== undefined && { entries: options.entries }),
    line: (line) => lines.line(line),
  });
  let cancel = (): void => {};
  const stop = (signal: (typeof SIGNALS)[number]): void => {
    supervisor.stop(signal);
    if (supervisor.stops > 1) return;
    cancel = keptTimers.after(END_MS + LATE_MS, () => {
      log.warn('the service did not end in time; what was answered is in the database or in the spool', {});
      supervisor.kill();
      void lines.end().then(() => options.process.exit(FAILED));
    });
  };
  for (const signal of SIGNALS) options.process.on(signal, stop);
  try {
    const code = await supervisor.run();
    await lines.end();
    return code;
  } finally {
    cancel();
    for (const signal of SIGNALS) options.process.off(signal, stop);
  }
}
