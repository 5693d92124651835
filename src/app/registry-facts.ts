import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readBounded } from '../adapters/files/index.ts';
import { dockerKeychain, openRegistry } from '../adapters/registry/index.ts';
import { openTrustFile, openTufTrust, openVerifier, PUBLIC_MIRROR } from '../adapters/sigstore/index.ts';
import { isIpoError, type Clock, type Count, type Log } from '../base/index.ts';
import type { ImageReference } from '../image/index.ts';
import { collectReference, mergeProofs, NOTHING_KNOWN, VexLibrary } from '../supply-chain/index.ts';
import type { RegistryAnswer, RegistryFacts, RegistryFactsOptions } from './registry-door.ts';
import { vexSources } from './service-supply-chain.ts';

/** Bytes of a file of authorities. */
const MAX_CA_BYTES = 1024 * 1024;
/** A command tells what it found out in its own words, and counts nothing. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const UNCOUNTED: Count = { add() {} };
const NOTHING = { signatures: [], attestations: [], provenance: [], vex: [] } as const;

/** openRegistryFacts joins the registry client, the verification and the VEX documents for one command. */
export async function openRegistryFacts(options: RegistryFactsOptions): Promise<RegistryFacts> {
  const { env, insecure, caFile, trustRoot, vex, timeout, userAgent } = options;
  const clock: Clock = { now: () => Date.now() };
  const home = env['HOME'] ?? '';
  const ca = caFile === null ? undefined : await readBounded(caFile, MAX_CA_BYTES);
  const registry = openRegistry({
    ...{ userAgent, ca, loopback: true },
    hosts: insecure.map((host) => ({ host, plainHttp: true })),
    keychain: dockerKeychain(env, home),
  });
  const cachePath = join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'ipo', 'sigstore');
  const verifier = openVerifier({
    trust:
      trustRoot === null
        ? openTufTrust({ mirror: PUBLIC_MIRROR, rootPath: null, cachePath, clock, log: SILENT })
        : openTrustFile(trustRoot, clock),
    log: SILENT,
    entry: null, // one command verifies a few signatures: a thread would take longer to start
  });
  const monotonic = { now: () => performance.now() };
  const sources = vexSources({ sources: vex.map((path) => ({ document: pathToFileURL(path).href })) });
  const library =
    sources.length === 0
      ? null
      : new VexLibrary({ sources, verifier, monotonic, count: UNCOUNTED, log: SILENT });
  const ask = async (reference: ImageReference): Promise<RegistryAnswer> => {
    const signal = AbortSignal.timeout(timeout);
    try {
      const { digest, collected } = await collectReference(
        { registry, verifier, vexSources: library },
        { reference, signal },
      );
      const told = (unknown: boolean): readonly string[] =>
        collected.problems
          .filter(({ leavesUnknown }) => leavesUnknown === unknown)
          .map(({ where, message }) => `${where}: ${message}`);
      const facts = mergeProofs(NOTHING_KNOWN, collected);
      return { digest, ...facts, problems: told(true), remarks: told(false) };
    } catch (error) {
      // "No digest is the same as no signature": what cannot be resolved has none, for the webhook too.
      return { digest: null, ...NOTHING, problems: [problemOf(error)], remarks: [] };
    }
  };
  return {
    ask,
    async resolve(reference) {
      try {
        return {
          digest: await registry.digestOf(reference, { signal: AbortSignal.timeout(timeout) }),
          problems: [],
        };
      } catch (error) {
        return { digest: null, problems: [problemOf(error)] };
      }
    },
    async close() {
      await Promise.all([registry.close(), verifier.close()]);
    },
  };
}

/** What a registry answers, or does not, is told and waited for no more; anything else is a fault of ours. */
function problemOf(error: unknown): string {
  if (!isIpoError(error)) throw error;
  return error.hint === undefined || error.hint === null ? error.message : `${error.message} (${error.hint})`;
}
