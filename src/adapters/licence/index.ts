/**
 * The licence service as the operator calls it: one call a day, bounded in time and size, to one address.
 * It uses `transport`.
 */
export { openLicenceService } from './licence-service.ts';
