/**
 * The certificates of the runtime detector and of its listener; and the serving certificate of the webhook: which authority signs it, when it is recreated, and whom the API server trusts meanwhile, so that
 * no handshake fails while certificates change; and the secret path by which the API server calls. The Secret, the `caBundle` and the
 * making of keys are ports. It uses no other folder.
 */
export { bundleOf, readSecretData, toSecretData } from './kept.ts';
export { noticeOf, readDetectorData, type KeptDetector } from './detector.ts';
export { DetectorCertificates } from './detector.service.ts';
export { OwnCertificates, secretSource } from './own.service.ts';
export { CERTIFICATE_TIMES, type CertificateTimes } from './plan.ts';
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
export { ServingCertificates } from './serving.service.ts';
export { certificateNames } from './names.ts';
export { isToken, readPathData } from './path.ts';
export { pathSource, WebhookPath } from './path.service.ts';
