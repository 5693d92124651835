/** The port of the webhook: HTTPS for the API server, beside the API, with bounds of its own. */
export { Callers, type CallersOptions } from './callers.ts';
export { LISTENER_LIMITS } from './limits.ts';
export { openListener, type ListenerOptions, type ServingCertificate } from './listener.ts';
