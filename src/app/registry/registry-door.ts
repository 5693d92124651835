import type {
  RegistryFacts,
  RegistryFactsOptions,
  OpenArtifacts,
  FileProofs,
  FileProofsOptions,
} from './ports.ts';

/** openRegistryFacts joins registry client, verification and VEX. Throws FileError, or `invalid_request` for a trust root that is none. */
export async function openRegistryFacts(options: RegistryFactsOptions): Promise<RegistryFacts> {
  return (await import('./registry-facts.ts')).openRegistryFacts(options);
}

/** openOwnArtifacts opens registries as the person that runs a command, by its docker config. */
export async function openOwnArtifacts(
  env: Readonly<Record<string, string | undefined>>,
  userAgent: string,
): Promise<OpenArtifacts> {
  return (await import('./own-artifacts.ts')).openOwnArtifacts(env, userAgent);
}

/** readFileProofs reads and verifies it. Throws FileError, and `invalid_request` for a list of sums that is none. */
export async function readFileProofs(options: FileProofsOptions): Promise<FileProofs> {
  return (await import('./file-proofs.ts')).readFileProofs(options);
}
