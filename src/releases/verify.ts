import type { Digest } from '../base/index.ts';
import {
  attestationCounts,
  PROVENANCE_TYPES,
  signatureCounts,
  type ImageFacts,
  type SignedEntry,
  type Signer,
} from '../facts/index.ts';

/** RELEASE_CHECKS are what a release must show, in the order in which they are told. */
export const RELEASE_CHECKS = ['keyed_signature', 'keyless_signature', 'sbom', 'provenance'] as const;
export type ReleaseCheckName = (typeof RELEASE_CHECKS)[number];

/**
 * ReleaseCheck is what became of one of them. `failed`: it was read and is not there, or nobody who counts made it. `unknown`: the registry
 * or the trust root could not be asked. `unvouched`: it is there, and nobody was named who must have made it.
 */
export interface ReleaseCheck {
  readonly check: ReleaseCheckName;
  readonly state: 'ok' | 'failed' | 'unknown' | 'unvouched';
  /** One clause for people. */
  readonly because: string;
}

/** Signers are who must have signed: the published key, and the identity of the build with its issuer. */
export interface ReleaseSigners {
  readonly key: Signer | null;
  readonly keyless: Signer | null;
}

/** Predicate types under which an SBOM is attached: CycloneDX with or without its version, and SPDX. */
const SBOM_TYPE = /^https:\/\/(?:cyclonedx\.org\/bom(?:\/v?[0-9.]+)?|spdx\.dev\/Document(?:\/v?[0-9.]+)?)$/;

/** What a registry holds about the digest; null for a list that could not be read. */
type Held = Pick<ImageFacts, 'signatures' | 'attestations'>;

/** judgeRelease checks what is attached to a digest: both signatures, and an SBOM and a provenance that one of the signers made. */
export function judgeRelease(digest: Digest, held: Held, signers: ReleaseSigners): readonly ReleaseCheck[] {
  const all = [signers.key, signers.keyless].filter((signer) => signer !== null);
  const statement = (check: 'sbom' | 'provenance', what: string, isOne: (type: string) => boolean) => {
    if (held.attestations === null) return unread(check);
    const those = held.attestations.filter(({ predicateType }) => isOne(predicateType));
    const good = those.find((entry) => attestationCounts(entry, digest, entry.predicateType, all));
    if (good !== undefined) return made(check, 'ok', `${good.predicateType}, signed by ${nameOf(good)}`);
    if (those.length === 0) return made(check, 'failed', `no ${what} is attached to the digest`);
    return made(check, 'failed', `the ${what} that is attached is signed by somebody else`);
  };
  return [
    signature('keyed_signature', digest, held, signers.key, ({ identity }) => identity === null),
    signature('keyless_signature', digest, held, signers.keyless, ({ identity }) => identity !== null),
    statement('sbom', 'SBOM', (type) => SBOM_TYPE.test(type)),
    statement('provenance', 'provenance', (type) => PROVENANCE_TYPES.some((known) => known === type)),
  ];
}

function signature(
  check: 'keyed_signature' | 'keyless_signature',
  digest: Digest,
  { signatures }: Held,
  signer: Signer | null,
  isOfKind: (entry: SignedEntry) => boolean,
): ReleaseCheck {
  if (signatures === null) return unread(check);
  const kind = check === 'keyed_signature' ? 'by a key' : 'without a key';
  const those = signatures.filter(isOfKind);
  const [first] = those;
  if (first === undefined) return made(check, 'failed', `no signature ${kind} is attached to the digest`);
  if (signer === null) {
    const ask = check === 'keyed_signature' ? '--key' : '--identity';
    return made(check, 'unvouched', `signed by ${nameOf(first)}; name who must have signed with ${ask}`);
  }
  const good = those.find((entry) => signatureCounts(entry, digest, [signer]));
  if (good !== undefined) return made(check, 'ok', `signed by ${nameOf(good)}`);
  return made(
    check,
    'failed',
    check === 'keyed_signature' ? 'another key signed the digest' : `signed by ${nameOf(first)} instead`,
  );
}

function unread(check: ReleaseCheckName): ReleaseCheck {
  return made(check, 'unknown', 'what is attached to the digest could not be read or verified');
}

function made(check: ReleaseCheckName, state: ReleaseCheck['state'], because: string): ReleaseCheck {
  return { check, state, because };
}

function nameOf({ identity, issuer }: SignedEntry): string {
  return identity === null ? 'a key' : `${identity} (${issuer ?? 'no issuer'})`;
}
