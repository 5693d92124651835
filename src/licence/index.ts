/** The licence: which ceilings it sets. Every feature is there for everybody, with a certificate and without. */
export { NO_CEILING, withoutCertificate, type Ceiling, type Ceilings } from './ceiling.ts';
