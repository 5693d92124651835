import { openRegistry, type OpenRegistry, type RegistryOptions } from '../../src/adapters/registry/index.ts';
import { Secret } from '../../src/base/index.ts';
import {
  parseReference,
  RegistryError,
  type Credential,
  type ImageReference,
  type Keychain,
} from '../../src/image/index.ts';
import type { Ending } from './images.ts';

/** ask waits for as long as it takes. */
export const ask = { signal: new AbortController().signal };

/** openClient opens a client that may call this machine, and ends with the test. */
export function openClient(t: Ending, options: Partial<RegistryOptions> = {}): OpenRegistry {
  const client = openRegistry({
    userAgent: 'ipo/test',
    loopback: true,
    platform: { os: 'linux', architecture: 'amd64', variant: null, osVersion: null },
    ...options,
  });
  t.after(() => client.close());
  return client;
}

/** referenceTo parses a reference into a registry. */
export function referenceTo(host: string, rest: string): ImageReference {
  const reference = parseReference(`${host}/${rest}`);
  if ('fault' in reference) throw new Error(reference.fault);
  return reference;
}

/** faultOf gives the RegistryError that a promise rejects with. */
export async function faultOf(promise: Promise<unknown>): Promise<RegistryError> {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (error instanceof RegistryError) return error;
  throw error ?? new Error('it did not reject');
}

/** passwordOf makes a credential. */
export function passwordOf(username: string, password: string): Credential {
  return { kind: 'password', username, password: new Secret(password) };
}

/** keysOf makes a keychain that gives the same credentials for every repository of a host. */
export function keysOf(host: string, ...credentials: readonly Credential[]): Keychain {
  return { credentialsFor: async (repository) => (repository.host === host ? credentials : []) };
}

/** basic writes a user and a password as a header has them. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
