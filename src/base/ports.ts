/** Clock gives the present as milliseconds since 1970 UTC. Only effects ask it; the pure core is given a time. */
export interface Clock {
  now(): number;
}

/** Keys are what a line of the log says beside its constant message. */
export type Keys = Readonly<Record<string, unknown>>;

/** Log takes what happened: a constant message, and keys for what varies. Its implementation redacts secrets. */
export interface Log {
  debug(message: string, keys?: Keys): void;
  info(message: string, keys?: Keys): void;
  warn(message: string, keys?: Keys): void;
  error(message: string, keys?: Keys): void;
}

/** Count adds to a counter of the service, by one unless said. */
export interface Count {
  add(name: `svc_${string}_total`, labels?: Readonly<Record<string, string>>, by?: number): void;
}
