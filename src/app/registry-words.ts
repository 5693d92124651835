import type { ImageReference } from '../image/index.ts';

/** What to do at a terminal, where the registry client speaks of settings. */
const ADVICE: readonly (readonly [message: RegExp, advice: (host: string) => string])[] = [
  [
    /names a credential helper for \S+ that is no program name$/,
    (host) => `write what follows docker-credential-, or take it out and run docker login ${host}`,
  ],
  [
    /^docker-credential-\S+ gave .*: it did not end within/,
    () => 'unlock what it reads from and try again, or raise --registry-timeout, of which it has two thirds',
  ],
  [
    /^docker-credential-\S+, which .* is not on the PATH$/,
    (host) => `install it, or take it out of the config and run docker login ${host}`,
  ],
  [
    /^docker-credential-\S+ gave no credential/,
    (host) =>
      `sign in again with docker login ${host}, and see what docker pull says; what the program wrote is not shown, since it can be a secret`,
  ],
  [/^\S+ has a certificate that no trusted authority signed$/, () => 'name its authority with --registry-ca'],
  [
    /^\S+ (?:does not speak TLS|would be called over plain HTTP)/,
    (host) => `where plain HTTP is meant, give --insecure-registry ${host}`,
  ],
  [
    /^\S+ (?:wants a credential|does not take the credential|does not let )|gives no token (?:without|for)/,
    (host) =>
      `sign in with docker login ${host}, or name by DOCKER_CONFIG the directory of a config.json that may`,
  ],
  [
    /ask(?:s|ed) to slow down/,
    (host) => `wait and try again, or sign in with docker login ${host}: accounts may ask more often`,
  ],
  [
    /^\S+ (?:refuses connections|is not a known host|cannot be|cut the connection|did not answer|does not answer;|has a fault of its own|gives no token now)|not waited for/,
    (host) => `check that ${host} runs and can be reached from here, and try again`,
  ],
  [
    /as a registry does|^the manifest of |with a page|does not answer as HTTP says|answers without a token|gives other content/,
    (host) => `check what answers for ${host}: a proxy or another server may stand in its place`,
  ],
];

/**
 * adviseOn gives what a registry did not tell as a clause for a terminal, with what to do about it: in the terminal's words
 * where there are, else as the client says it.
 */
export function adviseOn(
  message: string,
  hint: string | null,
  { host }: Pick<ImageReference, 'host'>,
): string {
  const own = ADVICE.find(([pattern]) => pattern.test(message))?.[1](host);
  const advice = own ?? (hint === null ? null : `${hint.slice(0, 1).toLowerCase()}${hint.slice(1)}`);
  return advice === null ? message : `${message}; ${advice}`;
}

/** placeOf leaves the repository out of where something was looked for, since the image is named beside it. */
export function placeOf(where: string, { name }: Pick<ImageReference, 'name'>): string {
  return where.startsWith(`${name} `) ? where.slice(name.length + 1) : where;
}
