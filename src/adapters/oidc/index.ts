/**
 * The identity provider by OpenID Connect: discovery, authorization code with PKCE, and a token that must prove itself.
 * It uses no other adapter.
 */
export { openIdentityProvider, type OidcOptions } from './provider.ts';
