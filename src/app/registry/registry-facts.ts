import { pathToFileURL } from 'node:url';
import { openCredentialHelpers } from '../../adapters/credential-helpers/index.ts';
import { readBounded } from '../../adapters/files/index.ts';
import { dockerKeychain, openRegistry, type OpenRegistry } from '../../adapters/registry/index.ts';
import { IpoError, isIpoError, type Count, type Log } from '../../base/index.ts';
import type { RegistryAnswer, ResolvedTag } from '../../checks/index.ts';
import { isAbsent, type ImageReference } from '../../image/index.ts';
import { collectReference, mergeProofs, NOTHING_KNOWN, VexLibrary } from '../../supply-chain/index.ts';
import { beforeSignal } from '../running/before-signal.ts';
import { findProgram } from '../running/find-program.ts';
import { checkTrustRoot, openOwnVerifier } from './own-verifier.ts';
import type { RegistryFacts, RegistryFactsOptions } from './ports.ts';
import { TlsOnLoopback } from './loopback.ts';
import { adviseOn, placeOf } from './words.ts';
import { vexSources } from '../service/supply-chain.ts';

/** Bytes of a file of authorities. */
const MAX_CA_BYTES = 1024 * 1024;
/** Of the time for an image, what a credential helper may take; the rest is for asking without it. */
const HELPER_SHARE = 2 / 3;
/** Bytes of a VEX document. */
const MAX_VEX_BYTES = 16 * 1024 * 1024;
/** A command tells what it found out in its own words, and counts nothing. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const UNCOUNTED: Count = { add() {} };
/** What the registry itself says is not there has no digest, and so no signature and no statement. */
const NOTHING = { signatures: [], attestations: [], provenance: [], vex: [] } as const;

/** openRegistryFacts joins the registry client, the verification and the VEX documents for one command. */
export async function openRegistryFacts(options: RegistryFactsOptions): Promise<RegistryFacts> {
  const { env, insecure, caFile, trustRoot, vex, timeout, userAgent } = options;
  const home = env['HOME'] ?? '';
  const ca = caFile === null ? undefined : await readBounded(caFile, MAX_CA_BYTES);
  if (trustRoot !== null) await checkTrustRoot(trustRoot);
  for (const path of vex) await readBounded(path, MAX_VEX_BYTES);
  const plain = insecure.map((host) => ({ host, plainHttp: true }));
  const helpers = openCredentialHelpers({
    env,
    cwd: process.cwd(),
    timeoutMs: Math.ceil(timeout * HELPER_SHARE),
    find: (program) => findProgram(program, env),
  });
  const shared = { userAgent, ca, loopback: true, keychain: dockerKeychain(env, home, helpers) };
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
  const verifier = openOwnVerifier(env, trustRoot);
  const monotonic = { now: () => performance.now() };
  const sources = vexSources({ sources: vex.map((path) => ({ document: pathToFileURL(path).href })) });
  const library =
    sources.length === 0
      ? null
      : new VexLibrary({ sources, verifier, monotonic, count: UNCOUNTED, log: SILENT });
  const deaf = beforeSignal(() => helpers.close());
  const ask = async (reference: ImageReference): Promise<RegistryAnswer> => {
    const signal = AbortSignal.timeout(timeout);
    try {
      const { digest, collected } = await collectReference(
        { registry: await registryOf(reference), verifier, vexSources: library },
        { reference, signal, until: untilOf(timeout) },
      );
      const told = (unknown: boolean): readonly string[] =>
        collected.problems
          .filter(({ leavesUnknown }) => leavesUnknown === unknown)
          .map((one) => `${placeOf(one.where, reference)}: ${adviseOn(one, reference)}`);
      const facts = mergeProofs(NOTHING_KNOWN, collected);
      return { digest, outcome: 'found', ...facts, problems: told(true), remarks: told(false) };
    } catch (error) {
      const missing = notFound(error, reference);
      return { ...missing, ...(missing.outcome === 'absent' ? NOTHING : NOTHING_KNOWN), remarks: [] };
    }
  };
  return {
    ask,
    async resolve(reference) {
      try {
        const signal = AbortSignal.timeout(timeout);
        const asked = await registryOf(reference);
        const digest = await asked.digestOf(reference, { signal, until: untilOf(timeout) });
        return { digest, outcome: 'found', problems: [] };
      } catch (error) {
        return notFound(error, reference);
      }
    },
    async close() {
      deaf();
      helpers.close();
      await Promise.all([registry, ...others.values(), verifier].map((part) => part.close()));
    },
  };
}

/** A second is left for the answer itself, so that one who waited in vain is told by what. */
function untilOf(timeout: number): number {
  return performance.now() + timeout - Math.min(1000, timeout / 4);
}

/**
 * notFound gives the answer where a reference leads to no digest. Only what the registry itself says is not there is absent: whatever else
 * went wrong leaves it unknown. What neither a registry nor the way to it said is our own error.
 */
function notFound(error: unknown, reference: ImageReference): ResolvedTag & { readonly digest: null } {
  if (!isIpoError(error)) throw error;
  const problems = [adviseOn(error, reference)];
  return { digest: null, outcome: isAbsent(error) ? 'absent' : 'unknown', problems };
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
