import { eachOf, type Digest } from '../base/index.ts';
import {
  isAbsent,
  RegistryError,
  type Descriptor,
  type ImageManifest,
  type Registry,
  type RegistryAsk,
  type RegistryRemedy,
  type Repository,
} from '../image/index.ts';
import type { Attempt, Problem } from './collected.ts';
import {
  MAX_EVIDENCE,
  MAX_EVIDENCE_BYTES,
  MAX_TOTAL_BYTES,
  planLayers,
  planReferrers,
  PROOF_LISTS,
  type PlannedLayer,
  type ProofList,
} from './plan.ts';
import type { Evidence } from './verify-ports.ts';

/** FoundEvidence is one thing that a repository holds as proof about a digest, not verified yet. */
export interface FoundEvidence {
  readonly evidence: Evidence;
  /** `ghcr.io/acme/web sha256:…`, for problems. */
  readonly where: string;
  /** The lists of facts that are unknown where it cannot be verified. */
  readonly lists: readonly ProofList[];
  /** The predicate type that its author wrote beside it; nothing is decided by it. */
  readonly predicateType: string | null;
}

/** Gathered is what one repository holds about a digest. */
export interface Gathered {
  /** False when the repository itself said that it does not have the digest. */
  readonly isThere: boolean;
  readonly evidence: readonly FoundEvidence[];
  readonly attempts: readonly Attempt[];
  readonly problems: readonly Problem[];
  /** Lists of which something could not be read. */
  readonly unknown: ReadonlySet<ProofList>;
}

/** How many manifests and blobs of one digest are read at a time. */
const AT_ONCE = 4;

/**
 * gatherEvidence reads what is attached to a digest in one repository: by referrers, and under the tags of cosign's older layout. What
 * cannot be read is a problem and leaves the lists unknown that it may belong to; never throws for what a registry does. `mostBytes` are
 * read, what is small first, so that what is large beside a signature does not hide it.
 */
export async function gatherEvidence(
  registry: Registry,
  repository: Repository,
  digest: Digest,
  ask: RegistryAsk,
  mostBytes: number = MAX_TOTAL_BYTES,
): Promise<Gathered> {
  const gathering = new Gathering(registry, repository, digest, ask, mostBytes);
  return gathering.run();
}

class Gathering {
  readonly #registry: Registry;
  readonly #repository: Repository;
  readonly #digest: Digest;
  readonly #ask: RegistryAsk;
  readonly #place: string;
  readonly #mostBytes: number;
  readonly #evidence: FoundEvidence[] = [];
  readonly #attempts: Attempt[] = [];
  readonly #problems: Problem[] = [];
  readonly #unknown = new Set<ProofList>();
  #bytes = 0;

  constructor(
    registry: Registry,
    repository: Repository,
    digest: Digest,
    ask: RegistryAsk,
    mostBytes: number,
  ) {
    this.#mostBytes = mostBytes;
    this.#registry = registry;
    this.#repository = repository;
    this.#digest = digest;
    this.#ask = ask;
    this.#place = `${repository.host}/${repository.path}`;
  }

  async run(): Promise<Gathered> {
    const image = await this.#read('manifest', PROOF_LISTS, () =>
      this.#registry.manifest(this.#repository, this.#digest, this.#ask),
    );
    if (image === null) return this.#done(this.#unknown.size > 0);
    this.#attempts.push({ place: this.#place, what: 'manifest', outcome: 'read', found: 0 });
    const [referrers, sig, att] = await Promise.all([
      this.#referrers(),
      this.#attached('sig', ['signatures']),
      this.#attached('att', ['attestations', 'provenance', 'vex']),
    ]);
    const planned = [sig, att, ...referrers].flatMap((manifest) =>
      manifest === null ? [] : planLayers(manifest).map((layer) => ({ manifest, layer })),
    );
    // Each blob once, however often it is attached.
    const distinct = [
      ...new Map(
        planned.map((entry) => [
          `${entry.layer.layer.digest} ${JSON.stringify(entry.layer.layer.annotations)}`,
          entry,
        ]),
      ).values(),
    ];
    const taken = distinct.slice(0, MAX_EVIDENCE).toSorted((a, b) => a.layer.layer.size - b.layer.layer.size);
    if (distinct.length > taken.length)
      this.#leave(
        'evidence',
        PROOF_LISTS,
        'too_many',
        `has ${distinct.length} things attached; ${MAX_EVIDENCE} are looked at`,
        false,
      );
    await eachOf(taken, AT_ONCE, async ({ manifest, layer }) => this.#take(manifest, layer, image.bytes));
    return this.#done(true);
  }

  async #referrers(): Promise<readonly ImageManifest[]> {
    const referrers = await this.#read('referrers', PROOF_LISTS, () =>
      this.#registry.referrers(this.#repository, this.#digest, this.#ask),
    );
    if (referrers === null) return [];
    if (!referrers.complete)
      this.#leave('referrers', PROOF_LISTS, 'too_many', 'has more things attached than are listed', false);
    const planned = planReferrers(referrers.descriptors);
    if (planned.length > MAX_EVIDENCE)
      this.#leave(
        'referrers',
        PROOF_LISTS,
        'too_many',
        `has more than ${MAX_EVIDENCE} proofs attached`,
        false,
      );
    const manifests: ImageManifest[] = [];
    await eachOf(planned.slice(0, MAX_EVIDENCE), AT_ONCE, async (descriptor) => {
      const manifest = await this.#referrer(descriptor);
      if (manifest !== null) manifests.push(manifest);
    });
    const found = manifests.length;
    this.#attempts.push({
      place: this.#place,
      what: 'referrers',
      outcome: referrers.source === 'none' ? 'absent' : 'read',
      found,
    });
    // In the order in which they are listed, not the one in which they came.
    const order = new Map(planned.map(({ digest }, i) => [digest, i]));
    return manifests.toSorted((a, b) => (order.get(a.digest) ?? 0) - (order.get(b.digest) ?? 0));
  }

  async #referrer({ digest }: Descriptor): Promise<ImageManifest | null> {
    if (this.#bytes > this.#mostBytes) {
      this.#leaveLarge(`referrer ${digest}`, PROOF_LISTS);
      return null;
    }
    const manifest = await this.#read(`referrer ${digest}`, PROOF_LISTS, () =>
      this.#registry.manifest(this.#repository, digest, this.#ask),
    );
    // Kept until all are there; what was read out of it takes some times its room.
    this.#bytes += 5 * (manifest?.bytes.length ?? 0);
    return manifest?.kind === 'image' ? manifest : null;
  }

  async #attached(what: 'sig' | 'att', lists: readonly ProofList[]): Promise<ImageManifest | null> {
    const answer = await this.#read(what, lists, async () => ({
      manifest: await this.#registry.attached(this.#repository, this.#digest, what, this.#ask),
    }));
    if (answer === null) return null;
    const { manifest } = answer;
    const outcome = manifest === null ? 'absent' : 'read';
    this.#attempts.push({ place: this.#place, what, outcome, found: manifest?.layers.length ?? 0 });
    return manifest;
  }

  async #take(
    manifest: ImageManifest,
    { kind, layer, lists }: PlannedLayer,
    image: Uint8Array,
  ): Promise<void> {
    // As it says itself, before any of it is read: a lie is refused by the registry client.
    this.#bytes += layer.size;
    if (this.#bytes > this.#mostBytes) {
      this.#leaveLarge(`blob ${layer.digest}`, lists);
      return;
    }
    const bytes = await this.#read(`blob ${layer.digest}`, lists, () =>
      this.#registry.blob(this.#repository, layer, { ...this.#ask, maxBytes: MAX_EVIDENCE_BYTES }),
    );
    if (bytes === null) return;
    const { annotations } = layer;
    this.#evidence.push({
      evidence: toEvidence(kind, bytes, annotations, image),
      where: `${this.#place} ${layer.digest}`,
      lists,
      predicateType:
        manifest.annotations['dev.sigstore.bundle.predicateType'] ?? annotations.predicateType ?? null,
    });
  }

  /** Null where it is not there, or could not be read, which is a problem then. */
  async #read<T>(what: string, lists: readonly ProofList[], read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const kind =
        what === 'manifest' || what === 'referrers' || what === 'sig' || what === 'att' ? what : null;
      const outcome = isAbsent(error) ? 'absent' : 'failed';
      if (kind !== null) this.#attempts.push({ place: this.#place, what: kind, outcome, found: 0 });
      if (outcome === 'failed')
        this.#leave(what, lists, error.fault, error.message, error.mayPass, error.remedy);
      else
        this.#problems.push({
          where: `${this.#place} ${what}`,
          reason: error.fault,
          message: error.message,
          leavesUnknown: false,
          mayPass: false,
        });
      return null;
    }
  }

  #leaveLarge(what: string, lists: readonly ProofList[]): void {
    const limit = `${Math.floor(this.#mostBytes / 1_048_576)} MiB`;
    this.#leave(what, lists, 'too_large', `is not read: what is attached is more than ${limit}`, false);
  }

  #leave(
    what: string,
    lists: readonly ProofList[],
    reason: string,
    message: string,
    mayPass: boolean,
    remedy: RegistryRemedy | null = null,
  ): void {
    for (const list of lists) this.#unknown.add(list);
    this.#problems.push({
      where: `${this.#place} ${what}`,
      reason,
      message,
      leavesUnknown: true,
      mayPass,
      remedy,
    });
  }

  #done(isThere: boolean): Gathered {
    return {
      isThere,
      evidence: this.#evidence,
      attempts: this.#attempts,
      problems: this.#problems,
      unknown: this.#unknown,
    };
  }
}

function toEvidence(
  kind: PlannedLayer['kind'],
  bytes: Uint8Array,
  annotations: PlannedLayer['layer']['annotations'],
  manifest: Uint8Array,
): Evidence {
  if (kind === 'bundle') return { kind, bundle: bytes, manifest };
  return kind === 'envelope' ? { kind, envelope: bytes, annotations } : { kind, payload: bytes, annotations };
}
