import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  RegistryError,
  type Credential,
  type CredentialHelpers,
  type Keychain,
  type PodPullSecrets,
  type Repository,
} from '../../image/index.ts';
import {
  credentialsIn,
  heldIn,
  helperFor,
  namesHelpers,
  readDockerConfig,
  toPassword,
  type DockerConfig,
} from './docker-config.ts';
import { readSmallFile } from './small-file.ts';

/** NO_KEYS is a keychain that knows no credential: registries are asked anonymously. */
export const NO_KEYS: Keychain = { credentialsFor: () => Promise.resolve([]) };

/** Told of a config that leaves credentials to programs which are not run; its name, with each reading. */
export type Ignoring = (config: string) => void;

/** FileKeychainOptions say what a file is that is not there. */
export interface FileKeychainOptions {
  /** Whether it has to be there; else a missing file means no credential. */
  readonly required: boolean;
  readonly ignoring?: Ignoring | undefined;
  /** Asks the programs that the file names; without them none is run. */
  readonly helpers?: CredentialHelpers | undefined;
}

/**
 * fileKeychain knows the credentials of a docker `config.json`. It is read again when it changes, as a mounted Secret does; one that
 * cannot be read throws `credentials`, rather than that a registry is asked as somebody else.
 */
export function fileKeychain(path: string, { required, ignoring, helpers }: FileKeychainOptions): Keychain {
  let read: { readonly stamp: string; readonly config: DockerConfig } | null = null;
  const load = async (): Promise<DockerConfig | null> => {
    const stamp = await stampOf(path);
    if (stamp === null) {
      read = null;
      if (!required) return null;
      throw new RegistryError(
        'credentials',
        `${path} is not there, and the credentials for registries are to be in it`,
      );
    }
    if (read?.stamp !== stamp) {
      read = { stamp, config: readDockerConfig(await readSmallFile(path), path, 'docker_config') };
      if (helpers === undefined && namesHelpers(read.config)) ignoring?.(path);
    }
    return read.config;
  };
  return {
    async credentialsFor(repository) {
      const config = await load();
      if (config === null) return [];
      return helpers === undefined
        ? credentialsIn(config, repository, path)
        : credentialsOrHelper(config, repository, { path, helpers });
    },
  };
}

/**
 * As docker: the helper that the config names for the host, else its store, else what it holds itself. Unlike docker, what it holds counts
 * as well where the helper has nothing, since it may have been written by hand.
 */
async function credentialsOrHelper(
  config: DockerConfig,
  repository: Repository,
  { path, helpers }: { readonly path: string; readonly helpers: CredentialHelpers },
): Promise<readonly Credential[]> {
  const named = helperFor(config, repository);
  if (named === null) return credentialsIn(config, repository, path);
  const { found } = heldIn(config, repository);
  try {
    const kept = await helpers.find({ ...named, host: repository.host, config: path });
    return kept === null ? found : [toPassword(kept.username, kept.secret.reveal())];
  } catch (error) {
    if (found.length > 0 && error instanceof RegistryError) return found;
    throw error;
  }
}

/**
 * dockerKeychain knows the credentials that Docker or Podman keep for the person who runs this: `$DOCKER_CONFIG/config.json`, else
 * `~/.docker/config.json`, else `$REGISTRY_AUTH_FILE`, else `$XDG_RUNTIME_DIR/containers/auth.json`; the first file that is there.
 * Programs that it names are asked through `helpers`; without it none is run.
 */
export function dockerKeychain(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  helpers?: CredentialHelpers,
): Keychain {
  const { DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR } = environment;
  const standard = home === '' ? undefined : join(home, '.docker');
  const docker = isSet(DOCKER_CONFIG) ? DOCKER_CONFIG : standard;
  const paths = [
    ...(docker === undefined ? [] : [join(docker, 'config.json')]),
    ...(isSet(REGISTRY_AUTH_FILE) ? [REGISTRY_AUTH_FILE] : []),
    ...(isSet(XDG_RUNTIME_DIR) ? [join(XDG_RUNTIME_DIR, 'containers', 'auth.json')] : []),
  ];
  const files = paths.map((path) => ({ path, keychain: fileKeychain(path, { required: false, helpers }) }));
  return {
    async credentialsFor(repository) {
      for (const { path, keychain } of files)
        if ((await stampOf(path)) !== null) return keychain.credentialsFor(repository);
      return [];
    },
  };
}

/**
 * pullSecretKeychain knows the credentials of a pod's pull secrets, in their order. A Secret that holds no config is passed over; where
 * nothing else has a credential, what could not be read is said.
 */
export function pullSecretKeychain({ secrets, faults }: PodPullSecrets, ignoring?: Ignoring): Keychain {
  const read = secrets.map(({ name, form, document }) => {
    try {
      const config = readDockerConfig(Buffer.from(document.reveal()), `the Secret ${name}`, form);
      if (namesHelpers(config)) ignoring?.(`the Secret ${name}`);
      return { name, config };
    } catch (error) {
      return { name, error };
    }
  });
  return {
    credentialsFor: async (repository) => {
      const found: Credential[] = [];
      let first: RegistryError | null =
        faults[0] === undefined ? null : new RegistryError('credentials', faults[0]);
      for (const one of read) {
        try {
          if ('error' in one) throw one.error;
          found.push(...credentialsIn(one.config, repository, `the Secret ${one.name}`));
        } catch (error) {
          if (!(error instanceof RegistryError)) throw error;
          first ??= error;
        }
      }
      if (found.length === 0 && first !== null) throw first;
      return found;
    },
  };
}

/**
 * chainKeychains asks keychains in turn and gives all that they know. One that cannot be read counts only where no other knows a
 * credential.
 */
export function chainKeychains(...keychains: readonly Keychain[]): Keychain {
  return {
    async credentialsFor(repository) {
      const found: Credential[] = [];
      let fault: RegistryError | null = null;
      for (const keychain of keychains) {
        try {
          found.push(...(await keychain.credentialsFor(repository)));
        } catch (error) {
          if (!(error instanceof RegistryError)) throw error;
          fault ??= error;
        }
      }
      if (found.length === 0 && fault !== null) throw fault;
      return found;
    },
  };
}

/** What changes when a file does; null where there is none. */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new RegistryError('credentials', `${path} cannot be read (${code ?? 'unknown fault'})`, {
      cause: error,
    });
  }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
