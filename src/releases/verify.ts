import { sha256Hex, type Digest } from '../base/index.ts';
import {
  artifactCounts,
  attestationCounts,
  PROVENANCE_TYPES,
  signatureCounts,
  type ImageFacts,
  type SignedEntry,
  type Signer,
} from '../facts/index.ts';

/** RELEASE_CHECKS are what a release must show, in the order in which they are told; only a file has a `sum`. */
const RELEASE_CHECKS = ['sum', 'keyed_signature', 'keyless_signature', 'sbom', 'provenance'] as const;
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

/** What is held about the digest; null for a list that could not be read. */
type Held = Pick<ImageFacts, 'signatures' | 'attestations'>;

/** judgeRelease checks what is attached to a digest: both signatures, and an SBOM and a provenance that one of the signers made. */
export function judgeRelease(digest: Digest, held: Held, signers: ReleaseSigners): readonly ReleaseCheck[] {
  return judge(digest, held, signers, {
    name: 'the digest',
    counts: (entry, signer) => signatureCounts(entry, digest, [signer]),
  });
}

/**
 * judgeReleaseFile checks a file of a release by the signed list of sums that it stands in: its sum, both signatures over the list, and a
 * provenance of it. `listed` is the file's sum in the list, null where it is not in it. The SBOM is a file of the list itself.
 */
export function judgeReleaseFile(
  file: { readonly sha256: string; readonly listed: string | null },
  sums: { readonly name: string; readonly bytes: Uint8Array },
  held: Held,
  signers: ReleaseSigners,
): readonly ReleaseCheck[] {
  const { sha256, listed } = file;
  const signed = judge(`sha256:${sha256Hex(sums.bytes)}`, held, signers, {
    name: sums.name,
    counts: (entry, signer) => artifactCounts(entry, sums.bytes, [signer]),
  }).filter(({ check }) => check !== 'sbom');
  if (listed === null) return [made('sum', 'failed', `${sums.name} does not name this file`), ...signed];
  if (listed !== sha256)
    return [made('sum', 'failed', `${sums.name} says ${listed}, but the file has ${sha256}`), ...signed];
  return [made('sum', 'ok', `${sha256}, as ${sums.name} says`), ...signed];
}

/** What is signed: how it is called, and whether a signature of it was made by somebody. */
interface Signed {
  readonly name: string;
  readonly counts: (entry: SignedEntry, signer: Signer) => boolean;
}

function judge(digest: Digest, held: Held, signers: ReleaseSigners, what: Signed): readonly ReleaseCheck[] {
  const all = [signers.key, signers.keyless].filter((signer) => signer !== null);
  const statement = (check: 'sbom' | 'provenance', noun: string, isOne: (type: string) => boolean) => {
    if (held.attestations === null) return unread(check, what.name);
    const those = held.attestations.filter(({ predicateType }) => isOne(predicateType));
    const good = those.find((entry) => attestationCounts(entry, digest, entry.predicateType, all));
    if (good !== undefined) return made(check, 'ok', `${good.predicateType}, signed by ${nameOf(good)}`);
    if (those.length === 0) return made(check, 'failed', `no ${noun} is attached to ${what.name}`);
    return made(check, 'failed', `the ${noun} that is attached is signed by somebody else`);
  };
  return [
    signature('keyed_signature', held, signers.key, what, ({ identity }) => identity === null),
    signature('keyless_signature', held, signers.keyless, what, ({ identity }) => identity !== null),
    statement('sbom', 'SBOM', (type) => SBOM_TYPE.test(type)),
    statement('provenance', 'provenance', (type) => PROVENANCE_TYPES.some((known) => known === type)),
  ];
}

function signature(
  check: 'keyed_signature' | 'keyless_signature',
  { signatures }: Held,
  signer: Signer | null,
  what: Signed,
  isOfKind: (entry: SignedEntry) => boolean,
): ReleaseCheck {
  if (signatures === null) return unread(check, what.name);
  const kind = check === 'keyed_signature' ? 'by a key' : 'without a key';
  const those = signatures.filter(isOfKind);
  const [first] = those;
  if (first === undefined) return made(check, 'failed', `no signature ${kind} is attached to ${what.name}`);
  if (signer === null) {
    const ask = check === 'keyed_signature' ? '--key' : '--identity';
    return made(check, 'unvouched', `signed by ${nameOf(first)}; name the expected signer with ${ask}`);
  }
  const good = those.find((entry) => what.counts(entry, signer));
  if (good !== undefined) return made(check, 'ok', `signed by ${nameOf(good)}`);
  return made(
    check,
    'failed',
    check === 'keyed_signature' ? `another key signed ${what.name}` : `signed by ${nameOf(first)} instead`,
  );
}

function unread(check: ReleaseCheckName, what: string): ReleaseCheck {
  return made(check, 'unknown', `what is attached to ${what} could not be read or verified`);
}

function made(check: ReleaseCheckName, state: ReleaseCheck['state'], because: string): ReleaseCheck {
  return { check, state, because };
}

function nameOf({ identity, issuer }: SignedEntry): string {
  return identity === null ? 'a key' : `${identity} (${issuer ?? 'no issuer'})`;
}
