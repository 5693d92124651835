import type { ImageReference, RegistryRemedy } from '../../image/index.ts';

/** What to do at a terminal, where the registry client speaks of settings. */
const ADVICE: Readonly<Record<RegistryRemedy, (host: string) => string>> = {
  name_helper: (host) => `write what follows docker-credential-, or take it out and run docker login ${host}`,
  unlock_helper: () =>
    'unlock what it reads from and try again, or raise --registry-timeout, of which it has two thirds',
  install_helper: (host) => `install it, or take it out of the config and run docker login ${host}`,
  renew_helper: (host) =>
    `sign in again with docker login ${host}, and see what docker pull says; what the program wrote is not shown, since it can be a secret`,
  trust_certificate: () => 'name its authority with --registry-ca',
  allow_plain_http: (host) => `where plain HTTP is meant, give --insecure-registry ${host}`,
  sign_in: (host) =>
    `sign in with docker login ${host}, or name by DOCKER_CONFIG the directory of a config.json that may`,
  slow_down: (host) =>
    `wait and try again, or sign in with docker login ${host}: accounts may ask more often`,
  reach: (host) => `check that ${host} runs and can be reached from here, and try again`,
  look_between: (host) => `check what answers for ${host}: a proxy or another server may stand in its place`,
};

/**
 * adviseOn gives what a registry did not tell as a clause for a terminal, with what to do about it: in the terminal's words
 * where there are, else as the client says it.
 */
export function adviseOn(
  told: {
    readonly message: string;
    readonly hint?: string | undefined;
    readonly remedy?: RegistryRemedy | null;
  },
  { host }: Pick<ImageReference, 'host'>,
): string {
  const { message, hint, remedy = null } = told;
  const own = remedy === null ? undefined : ADVICE[remedy](host);
  const advice = own ?? (hint === undefined ? null : `${hint.slice(0, 1).toLowerCase()}${hint.slice(1)}`);
  return advice === null ? message : `${message}; ${advice}`;
}

/** placeOf leaves the repository out of where something was looked for, since the image is named beside it. */
export function placeOf(where: string, { name }: Pick<ImageReference, 'name'>): string {
  return where.startsWith(`${name} `) ? where.slice(name.length + 1) : where;
}
