import { refuse, type Gate } from '../gate.ts';

/** quota refuses what the meter or the node ceiling no longer lets in; the sentence comes from the meter. */
export const quota: Gate = (_rules, subject) =>
  subject.quota === null ? null : refuse('quota', subject.quota);
