import { Writable } from 'node:stream';
import { pino } from 'pino';
import { isIpoError, type Keys, type Log } from '../base/index.ts';
import { toPretty } from './pretty.ts';
import type { Redactor } from './redactor.ts';

/** LOG_LEVELS from the most that is said to the least. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** LogLevel is the minimum level of lines that are written. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** LogOptions say what a log writes, and where. */
export interface LogOptions {
  readonly level: LogLevel;
  /** `pretty` is for a person at a terminal. */
  readonly format: 'json' | 'pretty';
  readonly redactor: Redactor;
  /** Takes whole lines, each with its end. */
  write(line: string): void;
  readonly color?: boolean;
  /** Which process of several a line is of: its key `part`. */
  readonly part?: string | undefined;
  /** Whether what failed outside is logged with a stack as well; with the level `debug` it is in any case. */
  readonly stacks?: boolean;
}

/** Keys that may hold a secret whatever their value: never written. */
const SECRET_KEYS = [
  'password',
  'token',
  'secret',
  'authorization',
  'cookie',
  'clientSecret',
  'key',
  'credential',
];

/** openLog gives a log that writes lines of JSON, or for a terminal; secrets leave it by value and by key. */
export function openLog(options: LogOptions): Log {
  const { format, redactor, level, stacks = level === 'debug' } = options;
  const toLogged = (thrown: unknown): LoggedError => toError(thrown, stacks ? 'all' : 'of_defects');
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      const line = redactor.clean(chunk);
      options.write(format === 'json' ? line : toPretty(line, options.color ?? false));
      done();
    },
  });
  const logger = pino(
    {
      level,
      base: options.part === undefined ? null : { part: options.part },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toLogged, cause: toLogged },
      redact: {
        paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        censor: '[redacted]',
      },
    },
    sink,
  );
  const at =
    (name: LogLevel) =>
    (message: string, keys: Keys = {}): void =>
      logger[name](keys, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

type Stacks = 'all' | 'of_defects' | 'none';

/**
 * A thrown value as the log keeps it; properties beyond these may hold anything and stay out. A stack says where a defect is. Of what
 * failed outside (a host, a file, the database), and of what caused that, it says nothing that a reader could use.
 */
function toError(thrown: unknown, wanted: Stacks, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: String(thrown) };
  const { name, message, stack, cause } = thrown;
  const stacks = wanted === 'of_defects' && isOutside(thrown) ? 'none' : wanted;
  const [first] = thrown instanceof AggregateError ? (thrown.errors as unknown[]) : [];
  return {
    name,
    // Node gives the error of several addresses no words of its own.
    message: message === '' && first instanceof Error ? first.message : message,
    ...('code' in thrown && { code: String(thrown.code) }),
    ...(stacks !== 'none' && stack !== undefined && { stack }),
    ...(cause !== undefined && depth < 3 && { cause: toError(cause, stacks, depth + 1) }),
  };
}

/** Every expected fault, those of the operating system (a socket, a name, a file), and an answer that came too late. */
function isOutside(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  // A host with several addresses fails by each of them.
  if (thrown instanceof AggregateError) return thrown.errors.length > 0 && thrown.errors.every(isOutside);
  const isOfSystem = 'syscall' in thrown && typeof thrown.syscall === 'string';
  return isIpoError(thrown) || isOfSystem || thrown.name === 'TimeoutError' || thrown.name === 'AbortError';
}
