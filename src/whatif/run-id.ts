import { randomLetters } from '../base/index.ts';

/** RUN_ID is the form of a kept run's id. */
export const RUN_ID = /^[a-z2-7]{16}$/;

/** newRunId makes the id of a run: 80 random bits, so that nobody guesses one. */
export function newRunId(): string {
  return randomLetters(16);
}
