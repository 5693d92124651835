/**
 * The licence: certificates, whom they are for and how long, and which ceilings they set. Every feature is there for everybody, with a
 * certificate and without.
 * It uses `accounts` and `ledger`.
 */
export { NO_CEILING, withoutCertificate, type Ceiling, type Ceilings } from './ceiling.ts';
export { replayCeiling, type CeilingRow, type CeilingWhatIf } from './ceiling-whatif.ts';
export {
  issueCertificate,
  MAX_CERTIFICATE,
  openCertificate,
  readUnverified,
  type Certificate,
  type CertificateBody,
} from './certificate.ts';
export { LICENCE_FAULTS, LicenceError, type LicenceFault } from './error.ts';
export { refusalsOf, type Expected } from './judge.ts';
export { Licences, type LicenceView, type LicenceWarning } from './licences.service.ts';
export type { LicenceService, LicenceStore, StoredLicence } from './ports.ts';
export { parseRequest } from './request.ts';
export { checkOffset, isCheckDue, nextCheckAt, warningOf } from './schedule.ts';
