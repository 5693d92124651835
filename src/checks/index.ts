/**
 * What `ipo check` finds out: which facts of files, registries and the service count for an image, the answer on each image and pod as a
 * document, and what would let a refused one pass.
 * It uses `image`, `findings`, `policy`, `facts`, `decision`, `pods`, `manifests` and `scan`.
 */
export {
  isImageAnswer,
  toDocument,
  type AnswerDocument,
  type CheckDocument,
  type ImageDocument,
} from './document.ts';
export { FactBook, type FactSources, type TagAnswer } from './facts.ts';
export type { FoundFacts } from './found.ts';
export { checkImages, type CheckedPod, type CheckOutcome, type ImageResult } from './images.ts';
export { podsOf } from './pods.ts';
export type { RegistryAnswer, ResolvedTag } from './registry-answer.ts';
