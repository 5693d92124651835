/**
 * Windows counts events of each digest within a time: a window is full at an event when at least `count` events that have come by then, it
 * among them, are later than its own time less the duration. No more than `count` times are kept of a digest, whatever comes.
 */
export class Windows {
  readonly count: number;
  readonly duration: number;
  /** The latest times, in ascending order. */
  readonly #times = new Map<string, number[]>();

  constructor(count: number, duration: number) {
    this.count = count;
    this.duration = duration;
  }

  /** Takes an event and tells whether the window is full at it. */
  add(about: string, at: number): boolean {
    let times = this.#times.get(about);
    if (times === undefined) {
      times = [];
      this.#times.set(about, times);
    }
    let place = times.length;
    while (place > 0 && (times[place - 1] ?? 0) > at) place -= 1;
    times.splice(place, 0, at);
    if (times.length > this.count) times.shift();
    const first = times[times.length - this.count];
    return first !== undefined && first > at - this.duration;
  }

  /** Forgets digests of which nothing came since so long before this time that no event can reach it. */
  forget(before: number): void {
    for (const [about, times] of this.#times)
      if ((times.at(-1) ?? 0) < before - this.duration) this.#times.delete(about);
  }
}
