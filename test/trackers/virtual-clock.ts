import type { TrackerClock } from '../../src/trackers/index.ts';

/** VirtualClock is the time of a test: `advance` is time that passes, `step` is someone setting the wall clock. */
export class VirtualClock implements TrackerClock {
  #wall: number;
  /** Real time since the beginning, which no one sets. */
  #real = 0;

  constructor(wall: number) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#real;
  }

  advance(ms: number): void {
    this.#wall += ms;
    this.#real += ms;
  }

  step(ms: number): void {
    this.#wall += ms;
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
