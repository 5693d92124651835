/** Spot is a place in the work of a process: before, within or after a call to the store or to the tracker. */
export interface Spot {
  readonly call: string;
  readonly when: 'before' | 'within' | 'after';
}

/** OwnFault is a fault that strikes the next call of a process before its first byte, once. */
export type OwnFault = 'refused' | 'dns' | 'tls';

/** Command is what a process is told to do; `at` is the time by the wall clock. */
export type Command =
  | { readonly act: 'begin'; readonly at: number }
  | {
      readonly act: 'file' | 'sweep';
      readonly at: number;
      /** Where it stops and says so. */
      readonly spots: readonly Spot[];
      readonly fault: OwnFault | null;
      /** Milliseconds of real time that a call may take. */
      readonly timeoutMs: number;
    };

/** Go is what a process is told where it stopped; what is left out stays as it is. */
export interface Go {
  readonly fault?: OwnFault | null;
  readonly spots?: readonly Spot[];
  /** The time by now: it may have stopped for long. */
  readonly at?: number;
}

/** Said is what a process says. */
export type Said =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'reached' } & Spot)
  | {
      readonly kind: 'done';
      readonly at: number;
      /** The fault that has not struck yet. */
      readonly fault: OwnFault | null;
      /** Defects that were logged. */
      readonly errors: readonly string[];
    };
