import { parsePolicies, type ParsedPolicy } from '../../src/policy/index.ts';

/** policyText writes a policy as JSON, which is YAML too. */
export function policyText(spec: unknown, metadata: unknown = { name: 'tested' }): string {
  return JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata, spec });
}

/** parsed gives the one policy of a spec, and fails when it has a problem. */
export function parsed(spec: unknown, name = 'tested'): ParsedPolicy {
  const { policies, problems } = parsePolicies(policyText(spec, { name }), `${name}.yaml`);
  const [policy] = policies;
  if (policy === undefined) throw new Error(`no policy: ${JSON.stringify(problems)}`);
  return policy;
}

/** KEY is a P-256 public key, and KEY_REWRAPPED the same key with its base64 on other lines. */
export const KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
-----END PUBLIC KEY-----
`;

export const KEY_REWRAPPED = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEs
Qkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sx
Xs7LtkBoN79R9Q==
-----END PUBLIC KEY-----
`;

/** OTHER_KEY is an Ed25519 public key. */
export const OTHER_KEY = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`;
