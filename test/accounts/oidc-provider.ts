import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { collect } from './open.ts';

/** Twist changes what the provider does, to see that it is noticed. */
export interface Twist {
  readonly alg?: 'RS256' | 'ES256' | 'none' | 'HS256';
  /** Changes the claims of the token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with a key that the provider does not publish. */
  readonly foreignKey?: boolean;
  /** Changes the token after it was signed. */
  readonly token?: (token: string) => string;
  /** Answers the token endpoint in another way. */
  readonly answer?: (response: ServerResponse) => void;
  readonly issuer?: string;
  readonly userinfo?: Readonly<Record<string, unknown>>;
  readonly discovery?: (response: ServerResponse) => void;
}

/** Provider is a small OpenID provider on loopback. It checks what it is sent as a real one does. */
export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in at the next authorization. */
  person: Record<string, unknown>;
  twist: Twist;
  /** Times that a path was asked. */
  readonly asked: Map<string, number>;
  /** What a browser does: opens the address, signs in, and gives the address that it is sent back to. */
  visit(url: string): Promise<URL>;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** openProvider starts a provider; it ends with the test. */
export async function openProvider(t: TestContext): Promise<Provider> {
  const grants = new Map<
    string,
    { nonce: string; challenge: string; redirectUri: string; person: Record<string, unknown> }
  >();
  const access = new Map<string, Record<string, unknown>>();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => void (server.closeAllConnections(), server.close()));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const provider: Provider = {
    issuer,
    clientId: 'ipo',
    clientSecret: 'the secret of ipo',
    person: { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' },
    twist: {},
    asked: new Map(),
    visit: async (url) => new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''),
  };
  return provider;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    provider.asked.set(url.pathname, (provider.asked.get(url.pathname) ?? 0) + 1);
    const json = (status: number, body: unknown): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') {
      if (provider.twist.discovery !== undefined) return provider.twist.discovery(response);
      return json(200, {
        issuer: provider.twist.issuer ?? issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...(provider.twist.userinfo !== undefined && { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'ES256'],
        code_challenge_methods_supported: ['S256'],
      });
    }
    if (url.pathname === '/keys')
      return json(200, { keys: [jwk(rsa.publicKey, 'rsa', 'RS256'), jwk(ec.publicKey, 'ec', 'ES256')] });
    if (url.pathname === '/authorize') {
      const asked = Object.fromEntries(url.searchParams);
      const whole = ['openid', 'email'].every((scope) => asked['scope']?.split(' ').includes(scope));
      if (
        asked['client_id'] !== 'ipo' ||
        asked['response_type'] !== 'code' ||
        asked['code_challenge_method'] !== 'S256' ||
        !whole
      )
        return json(400, { error: 'invalid_request' });
      const code = randomBytes(16).toString('base64url');
      grants.set(code, {
        nonce: asked['nonce'] ?? '',
        challenge: asked['code_challenge'] ?? '',
        redirectUri: asked['redirect_uri'] ?? '',
        person: provider.person,
      });
      const back = new URL(asked['redirect_uri'] ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', asked['state'] ?? '');
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === '/token' && request.method === 'POST') {
      if (provider.twist.answer !== undefined) return provider.twist.answer(response);
      const form = new URLSearchParams((await collect(request)).join(''));
      const basic = `Basic ${Buffer.from(`ipo:${encodeURIComponent(provider.clientSecret).replaceAll('%20', '+')}`).toString('base64')}`;
      if (request.headers.authorization !== basic) return json(401, { error: 'invalid_client' });
      const grant = grants.get(form.get('code') ?? '');
      grants.delete(form.get('code') ?? '');
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (grant === undefined || proof !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri)
        return json(400, { error: 'invalid_grant' });
      const accessToken = randomBytes(16).toString('base64url');
      access.set(accessToken, grant.person);
      return json(200, {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: 60,
        id_token: idToken(grant),
      });
    }
    if (url.pathname === '/userinfo') {
      const person = access.get((request.headers.authorization ?? '').replace('Bearer ', ''));
      if (person === undefined) return json(401, { error: 'invalid_token' });
      return json(200, { sub: person['sub'], ...provider.twist.userinfo });
    }
    json(404, { error: 'not_found' });
  }

  function idToken({ nonce, person }: { nonce: string; person: Record<string, unknown> }): string {
    const { alg = 'RS256', claims, foreignKey, token = (text: string) => text } = provider.twist;
    const now = Math.floor(Date.now() / 1000);
    const body = { iss: issuer, aud: 'ipo', iat: now, exp: now + 300, nonce, ...person, ...claims };
    const head = { alg, typ: 'JWT', ...(alg !== 'none' && { kid: alg === 'ES256' ? 'ec' : 'rsa' }) };
    const signed = `${encode(head)}.${encode(body)}`;
    return token(
      `${signed}.${signature(signed, alg, foreignKey === true ? foreign.privateKey : rsa.privateKey)}`,
    );
  }

  function signature(text: string, alg: NonNullable<Twist['alg']>, key: KeyObject): string {
    const bytes = Buffer.from(text);
    if (alg === 'none') return '';
    if (alg === 'HS256')
      return createHmac('sha256', rsa.publicKey.export({ type: 'spki', format: 'pem' }))
        .update(bytes)
        .digest('base64url');
    if (alg === 'ES256')
      return sign('sha256', bytes, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return sign('sha256', bytes, key).toString('base64url');
  }
}

function jwk(key: KeyObject, kid: string, alg: string): object {
  return {
    ...createPublicKey(key.export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' }),
    kid,
    alg,
    use: 'sig',
  };
}
