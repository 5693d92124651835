/**
 * The certificates of the runtime detector and of its listener; and the serving certificate of the webhook: which authority signs it, when it is recreated, and whom the API server trusts meanwhile, so that
 * no handshake fails while certificates change; and the secret path by which the API server calls. The Secret, the `caBundle` and the
 * making of keys are ports. It uses no other folder.
 */
export { bundleOf, readSecretData, toSecretData, type Held, type Kept } from './kept.ts';
export {
  DETECTOR_TIMES,
  noticeOf,
  planDetector,
  readDetectorData,
  type DetectorNotice,
  type DetectorTimes,
  type KeptDetector,
} from './detector.ts';
export { DetectorCertificates, type DetectorCertificatesDeps } from './detector.service.ts';
export { OwnCertificates, secretSource, type CertificatesDeps } from './own.service.ts';
export { CERTIFICATE_TIMES, planCertificates, type CertificateStep, type CertificateTimes } from './plan.ts';
export type {
  Authority,
  BundleStore,
  CertificateMaker,
  ClientMaker,
  KeptSecret,
  SecretStore,
  ServingPair,
  ServingSource,
} from './ports.ts';
export { ServingCertificates, type ServingDeps } from './serving.service.ts';
export { certificateNames } from './names.ts';
export {
  isToken,
  PATH_TIMES,
  planPath,
  readPathData,
  type KeptPaths,
  type PathStep,
  type PathTimes,
} from './path.ts';
export { pathSource, WebhookPath, type PathDeps, type PathStore } from './path.service.ts';
