/** The port of the webhook: HTTPS for the API server, beside the API, with bounds of its own. */
export { Callers, type CallerFault, type CallersOptions } from './callers.ts';
export { LISTENER_LIMITS, type ListenerLimits } from './limits.ts';
export {
  openListener,
  type AdmissionListener,
  type ListenerOptions,
  type ReviewerPort,
  type ServingCertificate,
} from './listener.ts';
