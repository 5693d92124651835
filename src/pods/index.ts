/**
 * A pod as it is judged: which images it runs, which of the six signals it shows, what exposes it, where it may run, and the answer of all
 * policies that govern its namespace on it and on its images. The webhook, the reconciliation and `ipo check` share all of it.
 * It uses `image`, `policy`, `facts` and `decision`.
 */
export {
  Exposure,
  ingressObject,
  serviceObject,
  toIngressRoute,
  toServiceRoute,
  type ExposureIndex,
  type IngressRoute,
  type ServiceRoute,
} from './exposure.ts';
export { text } from './bounded.ts';
export { digestOfImageId } from './image-id.ts';
export { RouteTable } from './route-table.ts';
export { judgePod, type HardeningVerdict, type PodJudgement } from './hardening.ts';
export { hangsOnFacts, mayAskRegistry, UNREAD_FACTS } from './digest-needs.ts';
export { governing, judgeImage, judgementOf, judgeUnnamed, type ImageJudgement } from './judge.ts';
export {
  BREAK_GLASS,
  objectMeta,
  podImagesOf,
  podSpec,
  VOLUME,
  type ContainerImage,
  type ImageRole,
  type PodSpec,
} from './pod.ts';
export { signalsOf } from './signals.ts';
export { nodePlatformOf, type PlatformOfNode } from './node-platform.ts';
