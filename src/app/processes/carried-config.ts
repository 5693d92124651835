import { Secret } from '../../base/index.ts';
import type { Config } from '../config/config.ts';

/** CarriedConfig is a checked configuration as plain data, its secrets as texts: for a channel between processes and nothing else. */
export type CarriedConfig = object;

/** What stands for a secret; no name of a setting begins like this. */
const SECRET = '\u0000secret';

/** carryConfig makes a configuration ready for another process, which need not read and check it again. */
export function carryConfig(config: Config): CarriedConfig {
  return mapped(config, (value) =>
    value instanceof Secret ? { [SECRET]: value.reveal() } : undefined,
  ) as CarriedConfig;
}

/** takeConfig gives the configuration that `carryConfig` made ready. */
export function takeConfig(carried: CarriedConfig): Config {
  return mapped(carried, (value) =>
    typeof value === 'object' && value !== null && SECRET in value
      ? new Secret(String(value[SECRET]))
      : undefined,
  ) as Config;
}

/** A copy of what is made of lists and plain objects; `leaf` gives what stands for a value, or undefined. */
function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  const own = leaf(value);
  if (own !== undefined) return own;
  if (Array.isArray(value)) return value.map((item) => mapped(item, leaf));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new TypeError('a setting is neither data nor a secret, and cannot go to another process');
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, leaf)]));
}
