import { RegistryError } from './registry-error.ts';
import type { Credential, Keychain, Repository } from './registry-ports.ts';

/** AccountsToTry are the accounts as which a repository is asked for. */
export interface AccountsToTry {
  /** Null asks anonymously. Never empty. */
  readonly credentials: readonly (Credential | null)[];
  /** What to say where it is denied: why there is no credential although a config names one; else null. */
  readonly without: RegistryError | null;
}

/**
 * accountsToTry asks a keychain as whom a repository may be asked for: with each credential that there is, else anonymously. Throws the
 * RegistryError of a credential that cannot be used, unless anonymously may do.
 */
export async function accountsToTry(
  keychain: Keychain | null,
  repository: Repository,
): Promise<AccountsToTry> {
  try {
    const found = (await keychain?.credentialsFor(repository)) ?? [];
    return { credentials: found.length === 0 ? [null] : found, without: null };
  } catch (error) {
    if (!(error instanceof RegistryError) || !error.elseAnonymous) throw error;
    return { credentials: [null], without: error };
  }
}
