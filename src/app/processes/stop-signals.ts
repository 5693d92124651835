import type { ToPart } from './part-messages.ts';

type StopSignal = Extract<ToPart, { kind: 'stop' }>['signal'];

/** StopSignals are the signals that a supervisor passes on. One that comes before anybody listens is told once somebody does. */
export class StopSignals {
  #listener: ((signal: StopSignal) => void) | null = null;
  #early: StopSignal[] = [];

  came(signal: StopSignal): void {
    if (this.#listener === null) this.#early.push(signal);
    else this.#listener(signal);
  }

  /** One listener hears every signal. */
  on(listener: (signal: StopSignal) => void): void {
    if (this.#listener === listener) return;
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    for (const signal of early) setImmediate(() => this.came(signal));
  }

  off(): void {
    this.#listener = null;
  }
}
