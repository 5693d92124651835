import type * as Client from 'openid-client';
import { AccountError, type Identity, type IdentityProvider } from '../../accounts/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Outbound } from '../transport/index.ts';
import { openBoundedFetch } from './bounded-fetch.ts';
import { toFault } from './faults.ts';

/** OidcOptions say where people sign in, and as whom this service asks. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without one, which only PKCE protects. */
  readonly clientSecret: string | null;
  /** Where the browser comes back: the public address and `/api/v1/session/oidc/callback`. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly clock: Clock;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/** Seconds that the provider's clock may be off. */
const CLOCK_TOLERANCE = 30;
/** Seconds that one call to the provider may take. */
const TIMEOUT = 10;
/** Milliseconds after which the provider's description is read again. */
const DESCRIPTION_LIFE = 3_600_000;
const MAX_QUERY = 8192;

/**
 * openIdentityProvider speaks OpenID Connect with one provider. Its description is read at the first sign-in and again every hour, so that
 * the service starts without it. The signature of a token is always verified against the provider's keys, although it came from the
 * provider itself. Plain HTTP is taken only from this machine.
 */
export function openIdentityProvider(options: OidcOptions): IdentityProvider {
  const { issuer, redirectUri, scopes, clock } = options;
  const calls = openBoundedFetch(options.outbound);
  let described: { readonly at: number; readonly config: Promise<Client.Configuration> } | null = null;

  async function configuration(client: typeof Client): Promise<Client.Configuration> {
    const now = clock.now();
    if (described === null || now - described.at > DESCRIPTION_LIFE) {
      const made = { at: now, config: discover(client, options, calls) };
      described = made;
      made.config.catch(() => {
        if (described === made) described = null; // the next sign-in asks again
      });
    }
    return described.config;
  }

  return {
    async begin() {
      const client = await import('openid-client');
      try {
        const config = await configuration(client);
        const flow = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        };
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, flow };
      } catch (error) {
        throw toFault(error, issuer, 'discovery');
      }
    },

    async finish(query, flow) {
      if (query.length > MAX_QUERY) {
        throw new AccountError('bad_credentials', 'what the identity provider sent is too long', {
          hint: 'Begin again',
        });
      }
      const client = await import('openid-client');
      const back = new URL(redirectUri);
      back.search = query;
      try {
        const config = await configuration(client);
        const tokens = await client.authorizationCodeGrant(config, back, {
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          pkceCodeVerifier: flow.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined)
          throw new AccountError('bad_credentials', 'the identity provider sent no identity');
        // Some providers give groups or the address only there; what the signed token says goes first.
        const more =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
        return toIdentity({ ...more, ...claims }, addressSource(claims, more));
      } catch (error) {
        throw toFault(error, issuer, 'sign-in');
      }
    },
  };
}

async function discover(
  client: typeof Client,
  options: OidcOptions,
  calls: Client.CustomFetch,
): Promise<Client.Configuration> {
  const server = new URL(options.issuer);
  const secret = options.clientSecret;
  const onThisMachine =
    server.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(server.hostname);
  return client.discovery(
    server,
    options.clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE },
    secret === null ? client.None() : client.ClientSecretBasic(secret),
    {
      timeout: TIMEOUT,
      [client.customFetch]: calls,
      execute: [client.enableNonRepudiationChecks, ...(onThisMachine ? [client.allowInsecureRequests] : [])],
    },
  );
}

type Claims = Readonly<Record<string, unknown>>;

/** An address and whether it is verified are taken from one place: one place's word says nothing of another's address. */
function addressSource(token: Claims, user: Claims): Claims {
  const whole = token['email'] !== undefined && token['email_verified'] !== undefined;
  return whole || user['email'] === undefined ? token : user;
}

function toIdentity(
  claims: Claims & { readonly iss: string; readonly sub: string },
  address: Claims,
): Identity {
  const text = (name: string, from: Claims = claims): string | null => {
    const value = from[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: text('email', address),
    // One large provider writes it as a text.
    emailVerified: address['email_verified'] === true || address['email_verified'] === 'true',
    name: text('name') ?? text('preferred_username'),
    picture: text('picture'),
    claims,
  };
}
