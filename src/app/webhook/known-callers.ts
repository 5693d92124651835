import type { Settings } from '../config/settings.ts';

/** KnownCallers says by what the API server is known. */
export interface KnownCallers {
  readonly path: boolean;
  readonly certificate: boolean;
  /** Common names of its certificate; empty takes any. */
  readonly names: readonly string[];
}

/** knownCallers reads that from the settings: a path that its cluster or a file keeps, and a certificate where an authority is named. */
export function knownCallers(
  { certificates, callers }: Settings['webhook'],
  isCluster: boolean,
): KnownCallers {
  const isKept =
    (callers.secret ?? certificates.secret) !== undefined &&
    (callers.configuration ?? certificates.configuration) !== undefined;
  return {
    path: callers.pathFile !== undefined || (isCluster && isKept),
    certificate: callers.clientCaFile !== undefined,
    names: callers.clientNames,
  };
}

/** isGuarded tells whether anyone who reaches the port needs anything more. */
export function isGuarded({ path, certificate }: KnownCallers): boolean {
  return path || certificate;
}
