import type { Reach } from '../reach.ts';

/** Direction says what a change does to what is admitted: it refuses more, or less, or neither can be said. */
export type Direction = 'tighter' | 'looser' | 'neither';

/** Judge compares two values of a field of the spec. */
export type Judge<T> = (before: T, after: T) => Direction;

/** ladder judges a value whose words or numbers go from loose to tight. */
export const ladder =
  <T, V>(take: (value: T) => V, steps: readonly V[]): Judge<T> =>
  (before, after) =>
    toward(steps.indexOf(take(after)) - steps.indexOf(take(before)));

/** itself takes the whole value of a field. */
export const itself = <T>(value: T): T => value;

/** toward gives the direction of a number of steps, tighter above zero. */
export function toward(steps: number): Direction {
  if (steps === 0 || Number.isNaN(steps)) return 'neither';
  return steps > 0 ? 'tighter' : 'looser';
}

const WIDER: Readonly<Record<Reach, Direction>> = {
  wider: 'looser',
  narrower: 'tighter',
  same: 'neither',
  other: 'neither',
};

/** admits judges a list of which more admits more. */
export function admits(reach: Reach): Direction {
  return WIDER[reach];
}

/** asks judges a list of which more refuses more. */
export function asks(reach: Reach): Direction {
  if (reach === 'wider') return 'tighter';
  return reach === 'narrower' ? 'looser' : 'neither';
}

/** equal compares entries that are the same or have nothing to do with each other. */
export const equal = (entry: string, other: string): boolean => entry === other;
