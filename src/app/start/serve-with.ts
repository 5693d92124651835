import { Secret, type Log } from '../../base/index.ts';
import { openLog, Redactor } from '../../telemetry/index.ts';
import type { Config } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import { END_MS } from '../running/shutdown.ts';
import { endsWithin, keptTimers } from '../running/timers.ts';

/** BasisOptions are what a service, or a part of one, is run with in this process. */
export interface BasisOptions {
  /** Takes the lines of the log. */
  write(line: string): void;
  /** Log for a person unless the settings say otherwise, with or without colour. */
  readonly pretty?: { readonly color: boolean };
  /** Whether what fails outside is logged with a stack, too. */
  readonly stacks?: boolean;
  /** Which part of the service runs here, told in each line of the log; all of it unless said. */
  readonly part?: string;
  /** Where signals and faults of the whole process come from. */
  readonly process: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;
  /** Milliseconds after which an end that hangs is given up. */
  readonly endMs?: number;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];
/** What a shell reports a process that a signal ended. */
const SIGNAL_CODES: Readonly<Record<StopSignal, number>> = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 };
/** The exit code for what failed outside of the command's own doing, as the command line has it. */
const FAILED = 3;

/** ServeBasis is what every part of a service starts from. */
export interface ServeBasis {
  readonly settings: Settings;
  readonly log: Log;
  readonly redactor: Redactor;
}

/** Serving is a service, or a part of one, that does its work. */
export interface Serving {
  /** Ends in order. `passedMs`: how long ago the signal came. */
  close(graceMs?: number, passedMs?: number): Promise<void>;
  /** Logs what an end at once leaves in the spool. */
  sayLeft(): void;
  /** Called once it does its work. */
  started?(): void;
}

/**
 * serveWith runs what `start` starts until a signal, and gives the exit code. The first SIGTERM or SIGINT ends it in order, as soon as it
 * has started; a second one ends it at once, losing nothing that was answered. A start or an end that hangs is given up before a cluster
 * would kill the process. A fault that nothing caught is logged and ends the process: what is left of it could not be trusted. However
 * it ends, what stays in the spool is logged. Throws what kept it from starting.
 */
export async function serveWith(
  { settings, warnings }: Config,
  options: BasisOptions,
  start: (basis: ServeBasis) => Promise<Serving>,
): Promise<number> {
  const redactor = new Redactor();
  for (const secret of secretsOf(settings)) redactor.add(secret);
  const { level, format } = settings.log;
  const log = openLog({
    level,
    format: options.pretty === undefined ? format : 'pretty',
    color: options.pretty?.color ?? false,
    redactor,
    write: options.write,
    part: options.part,
    stacks: options.stacks === true || level === 'debug',
  });
  for (const warning of warnings) log.warn('configuration', { warning });

  const stopped = Promise.withResolvers<StopSignal>();
  let stoppedAt: number | null = null;
  let running: Serving | null = null;
  const stop = (signal: StopSignal): void => {
    if (stoppedAt !== null) {
      running?.sayLeft();
      options.process.exit(SIGNAL_CODES[signal]);
    }
    stoppedAt ??= performance.now();
    if (running === null)
      log.info('the service ends once it has started; a second signal ends it at once', { signal });
    stopped.resolve(signal);
  };
  const endMs = options.endMs ?? END_MS;
  const passed = (): number => performance.now() - (stoppedAt ?? performance.now());
  const fault = (error: unknown): void => {
    log.error('fault that nothing caught; the process ends', { error });
    running?.sayLeft();
    options.process.exit(FAILED);
  };
  for (const signal of SIGNALS) options.process.on(signal, stop);
  options.process.on('uncaughtException', fault);
  options.process.on('unhandledRejection', fault);
  try {
    const starting = start({ settings, log, redactor });
    const hung = stopped.promise
      .then(() => endsWithin(starting, endMs, keptTimers))
      .then((ends) => (ends ? starting : null));
    const service = await Promise.race([starting, hung]);
    if (service === null) {
      log.warn('the service did not start in time to end in order; nothing was answered', {
        milliseconds: endMs,
      });
      starting.then((late) => late.close(0)).catch(() => {});
      options.process.exit(FAILED);
      return FAILED;
    }
    running = service;
    service.started?.();
    const signal = await stopped.promise;
    log.info('stopping', { signal });
    if (await endsWithin(service.close(undefined, passed()), endMs - passed(), keptTimers)) {
      log.info('stopped');
      return 0;
    }
    // What hangs would keep the process alive until it is killed.
    service.sayLeft();
    log.warn('the service did not end in time; what was answered is in the database or in the spool', {
      milliseconds: endMs,
    });
    options.process.exit(FAILED);
    return FAILED;
  } finally {
    for (const signal of SIGNALS) options.process.off(signal, stop);
    options.process.off('uncaughtException', fault);
    options.process.off('unhandledRejection', fault);
  }
}

/** Every secret of the settings; of a database's address its password too, which faults may tell without the rest. */
export function secretsOf(value: unknown): readonly Secret[] {
  if (value instanceof Secret) {
    const text = value.reveal();
    const { password = '' } = URL.canParse(text) ? new URL(text) : {};
    return password === '' ? [value] : [value, new Secret(password), new Secret(decoded(password))];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsOf) : [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
