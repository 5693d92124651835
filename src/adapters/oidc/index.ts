/**
 * The identity provider by OpenID Connect: discovery, authorization code with PKCE, and a token that must prove itself.
 * It uses `transport`.
 */
export { openIdentityProvider } from './provider.ts';
