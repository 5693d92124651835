import type { Away } from './filing-ports.ts';
import { foreign } from './inert.ts';
import { code, paragraph, type Block } from '../text/index.ts';
import type { TrackerError } from './tracker-error.ts';

/** This many answers that a repository is not there are taken to hold for good; attempts lie further and further apart. */
const FOR_GOOD = 3;

/** awayBy tells by a create that failed that the repository of a label is not there, or takes no issues (410); null for any other fault. */
export function awayBy({ fault }: TrackerError, target: string): Omit<Away, 'times'> | null {
  if (fault !== 'not_found' && fault !== 'gone') return null;
  return { target, answer: fault === 'gone' ? '410' : '404' };
}

/** isAwayForGood tells whether a label leads to a repository that was away often enough to file elsewhere. */
export function isAwayForGood(away: Away, target: string): boolean {
  return away.target === target && away.times >= FOR_GOOD;
}

/** awayLine says on an issue why it is not where the image says. */
export function awayLine({ target, answer, times }: Away): Block {
  return paragraph(
    'The image names ',
    code(foreign(target)),
    ` as its source. That answered ${answer} to the last of ${times} attempts, so this issue is here.`,
  );
}
