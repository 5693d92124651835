import assert from 'node:assert/strict';
import { parseReference, type ImageReference } from '../../src/image/index.ts';
import {
  collectFacts,
  mergeProofs,
  NOTHING_KNOWN,
  type Collected,
  type VexDocuments,
} from '../../src/supply-chain/index.ts';
import { bytesOf, MemoryRegistry, NEVER } from './memory-registry.ts';
import { memoryVerifier, type Said } from './memory-verifier.ts';

/** WEB is the image that is asked about, OTHER one that it is not, REPOSITORY where it is. */
export const WEB = `sha256:${'a'.repeat(64)}`;
export const OTHER = `sha256:${'b'.repeat(64)}`;
export const REPOSITORY = 'ghcr.io/acme/web';
/** The media types under which proofs are attached. */
export const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
export const SIMPLE = 'application/vnd.dev.cosign.simplesigning.v1+json';
export const DSSE = 'application/vnd.dsse.envelope.v1+json';
/** Identities that sign. */
export const ALICE = { identity: 'alice@example.com', issuer: 'https://issuer.example' };
export const BOB = { identity: 'bob@example.com', issuer: 'https://issuer.example' };

/** statement gives an in-toto statement about an image. */
export const statement = (predicateType: string, predicate: unknown, digest = WEB): unknown => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'web', digest: { sha256: digest.slice(7) } }],
  predicateType,
  predicate,
});
/** vex gives an OpenVEX document of one statement without products; openVex attaches it. */
export const vex = (status: string, timestamp: string, more: object = {}): unknown => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  timestamp,
  statements: [{ vulnerability: { name: 'CVE-1' }, status, ...more }],
});
export const openVex = (status: string, timestamp: string, more: object = {}): unknown =>
  statement('https://openvex.dev/ns/v0.2.0', vex(status, timestamp, more));
/** layer gives what is attached with what the verifier of these tests finds in it. */
export const layer = (mediaType: string, said: Said) => ({ mediaType, bytes: bytesOf(said) });

/** registry gives one that holds WEB, with nothing attached. */
export function registry(): MemoryRegistry {
  const made = new MemoryRegistry();
  made.image(REPOSITORY, WEB);
  return made;
}

const at = (name: string): ImageReference => {
  const reference = parseReference(name);
  assert.ok(!('fault' in reference));
  return reference;
};
/** collect collects the facts of WEB. */
export const collect = (
  asked: MemoryRegistry,
  {
    repositories = [REPOSITORY],
    vexSources = null,
  }: { repositories?: string[]; vexSources?: VexDocuments | null } = {},
): Promise<Collected> =>
  collectFacts(
    { registry: asked, verifier: memoryVerifier(), vexSources },
    { digest: WEB, repositories: repositories.map(at), signal: NEVER },
  );
/** factsOf gives what follows where nothing was known before. */
export const factsOf = (collected: Collected) => mergeProofs(NOTHING_KNOWN, collected);
