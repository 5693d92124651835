import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readBounded } from '../adapters/files/index.ts';
import { dockerKeychain, openRegistry, type OpenRegistry } from '../adapters/registry/index.ts';
import {
  MAX_TRUST_ROOT_BYTES,
  openTrustFile,
  openTufTrust,
  openVerifier,
  parseTrustRoot,
  PUBLIC_MIRROR,
} from '../adapters/sigstore/index.ts';
import { IpoError, isIpoError, type Clock, type Count, type Log } from '../base/index.ts';
import type { ImageReference } from '../image/index.ts';
import { collectReference, mergeProofs, NOTHING_KNOWN, VexLibrary } from '../supply-chain/index.ts';
import type { RegistryAnswer, RegistryFacts, RegistryFactsOptions } from './registry-door.ts';
import { TlsOnLoopback } from './registry-loopback.ts';
import { adviseOn, placeOf } from './registry-words.ts';
import { vexSources } from './service-supply-chain.ts';

/** Bytes of a file of authorities. */
const MAX_CA_BYTES = 1024 * 1024;
/** Bytes of a VEX document. */
const MAX_VEX_BYTES = 16 * 1024 * 1024;
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
  // What somebody names is to be there, even where no signature turns out to need it.
  if (trustRoot !== null)
    parseTrustRoot(Buffer.from(await readBounded(trustRoot, MAX_TRUST_ROOT_BYTES)), trustRoot);
  for (const path of vex) await readBounded(path, MAX_VEX_BYTES);
  const plain = insecure.map((host) => ({ host, plainHttp: true }));
  const shared = { ...{ userAgent, ca, loopback: true }, keychain: dockerKeychain(env, home) };
  const registry = atFile(caFile, () => openRegistry({ ...shared, hosts: plain }));
  const tls = new TlsOnLoopback(insecure);
  const others = new Map<string, OpenRegistry>();
  const registryOf = async ({ host }: ImageReference): Promise<OpenRegistry> => {
    if (!(await tls.speaks(host))) return registry;
    let own = others.get(host);
    if (own === undefined)
      others.set(host, (own = openRegistry({ ...shared, hosts: [...plain, { host, plainHttp: false }] })));
    return own;
  };
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
        { registry: await registryOf(reference), verifier, vexSources: library },
        { reference, signal },
      );
      const told = (unknown: boolean): readonly string[] =>
        collected.problems
          .filter(({ leavesUnknown }) => leavesUnknown === unknown)
          .map(({ where, message }) => `${placeOf(where, reference)}: ${adviseOn(message, null, reference)}`);
      const facts = mergeProofs(NOTHING_KNOWN, collected);
      return { digest, ...facts, problems: told(true), remarks: told(false) };
    } catch (error) {
      // "No digest is the same as no signature": what cannot be resolved has none, for the webhook too.
      return { digest: null, ...NOTHING, problems: [problemOf(error, reference)], remarks: [] };
    }
  };
  return {
    ask,
    async resolve(reference) {
      try {
        const signal = AbortSignal.timeout(timeout);
        const asked = await registryOf(reference);
        return { digest: await asked.digestOf(reference, { signal }), problems: [] };
      } catch (error) {
        return { digest: null, problems: [problemOf(error, reference)] };
      }
    },
    async close() {
      await Promise.all([registry, ...others.values(), verifier].map((part) => part.close()));
    },
  };
}

/** What a registry answers, or does not, is told and waited for no more; anything else is a fault of ours. */
function problemOf(error: unknown, reference: ImageReference): string {
  if (!isIpoError(error)) throw error;
  return adviseOn(error.message, error.hint ?? null, reference);
}

/** Names the file that a fault is about. */
function atFile<T>(file: string | null, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isIpoError(error) || file === null) throw error;
    throw new IpoError(error.code, error.message, { place: { file }, hint: error.hint, cause: error });
  }
}
