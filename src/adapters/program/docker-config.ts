import type { Credential, Repository } from '../../image/index.ts';

/** The name under which Docker and its libraries keep what is for Docker Hub. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** NO_CREDENTIALS is a `config.json` by which a scanner asks anonymously, and runs no credential helper. */
export const NO_CREDENTIALS = JSON.stringify({ auths: {} });

/**
 * dockerConfig writes one credential as a `config.json` of Docker, only for one registry: whatever else a scanner calls (where its database
 * comes from, where a blob is redirected to) is not shown it.
 */
export function dockerConfig({ host }: Pick<Repository, 'host'>, credential: Credential): string {
  const key = host === 'docker.io' ? DOCKER_HUB : host;
  return JSON.stringify({ auths: { [key]: entryOf(credential) } });
}

function entryOf(credential: Credential): Readonly<Record<string, string>> {
  switch (credential.kind) {
    case 'password':
      return { auth: base64(`${credential.username}:${credential.password.reveal()}`) };
    case 'identity_token':
      return { identitytoken: credential.token.reveal() };
    case 'access_token':
      return { registrytoken: credential.token.reveal() };
  }
}

/** secretsOf gives every text by which a credential could stand in a message. */
export function secretsOf(credential: Credential | null): readonly string[] {
  if (credential === null) return [];
  if (credential.kind !== 'password') return [credential.token.reveal()];
  const password = credential.password.reveal();
  return [base64(`${credential.username}:${password}`), password, encodeURIComponent(password)];
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
