import type { ImageFacts } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import type { ImageAnswer, PodContext, ReviewedImage } from './image-answer.ts';

/** An answer with everything that it followed from, but for the facts. */
interface Remembered {
  readonly policies: readonly Policy[];
  readonly image: string;
  readonly digest: string | null;
  readonly signals: PodContext['signals'];
  readonly exposedBy: PodContext['exposedBy'];
  readonly coldImagePolicy: PodContext['coldImagePolicy'];
  readonly answer: ImageAnswer;
}

/** Answers of one image that are remembered: a workload has one or two, and anyone who makes up tags must not fill the memory. */
const MOST = 16;
/** Null for facts of which answers depend on the time. */
const byFacts = new WeakMap<ImageFacts, Remembered[] | null>();

/**
 * rememberedAnswer gives the answer that `make` gives, which is made once for the same policies, facts and context: a cluster admits the same
 * images over and over. What hangs on the time (a triage decision), on the requester (a break-glass) or on the meter is made each time.
 */
export function rememberedAnswer(
  policies: readonly Policy[],
  of: ReviewedImage,
  facts: ImageFacts,
  context: PodContext,
  make: () => ImageAnswer,
): ImageAnswer {
  let known = byFacts.get(facts);
  if (known === undefined) byFacts.set(facts, (known = isTimeless(facts) ? [] : null));
  const { image, digest, quota, missing } = of;
  const { signals, exposedBy, coldImagePolicy, breakGlass } = context;
  if (known === null || breakGlass !== null || quota !== null || missing !== null) return make();
  for (const one of known) {
    if (
      one.policies === policies &&
      one.image === image &&
      one.digest === digest &&
      one.exposedBy === exposedBy &&
      one.coldImagePolicy === coldImagePolicy &&
      isSameList(one.signals, signals)
    )
      return { ...one.answer, of };
  }
  const answer = make();
  if (known.length >= MOST) known.length = 0;
  known.push({ policies, image, digest, signals, exposedBy, coldImagePolicy, answer });
  return answer;
}

/** Whether no triage decision stands in facts, which begins or ends to count. */
function isTimeless({ scan, noPackagesUntilMs }: ImageFacts): boolean {
  return (
    noPackagesUntilMs === undefined &&
    (scan?.findings ?? []).every(({ triagedUntilMs }) => triagedUntilMs === -Infinity)
  );
}

function isSameList(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
