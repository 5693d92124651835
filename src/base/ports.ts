/** Clock gives the present as milliseconds since 1970 UTC. Only effects ask it; the pure core is given a time. */
export interface Clock {
  now(): number;
}
