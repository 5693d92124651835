/**
 * The licence: which ceilings it sets. Every feature is there for everybody, with a certificate and without.
 * It uses no other folder.
 */
export { NO_CEILING, withoutCertificate, type Ceiling, type Ceilings } from './ceiling.ts';
