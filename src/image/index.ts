/** Image references as the OCI and Docker rules say, and what of them the gates compare. */
export { isUnder, normaliseRegistry, parseReference, type ImageReference } from './reference.ts';
