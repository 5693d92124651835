import { governing } from '../../src/pods/index.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import {
  eachOf,
  IpoError,
  isDigest,
  isIpoError,
  parseDuration,
  printable,
  type Digest,
} from '../../src/base/index.ts';
import { NO_FACTS } from '../../src/facts/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import type { CheckOptions } from './options.ts';
import { knowsService, openService, refused } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type {
  CheckedPod,
  FactBook,
  FoundFacts,
  RegistryAnswer,
  ResolvedTag,
} from '../../src/checks/index.ts';
import { LazyRegistry } from './lazy-registry.ts';
import { coldImagePolicyOfService, tagOfService, factsOfService } from './service.ts';

/** At once, so that a manifest of fifty images does not wait for one after another. */
const AT_ONCE = 4;

function lacks({ digest, asked, facts }: FoundFacts, policies: readonly Policy[]): boolean {
  const missing = (list: readonly unknown[] | null): boolean => digest === null || !asked || list === null;
  return policies.some(
    ({ spec }) =>
      (spec.signature.required && missing(facts.signatures)) ||
      (spec.attestations.length > 0 && missing(facts.attestations)) ||
      (spec.provenance.minLevel > 0 && missing(facts.provenance)) ||
      (spec.vex.mode === 'apply' && missing(facts.vex)),
  );
}

/** Asking is everything that asking a service and registries is decided and done from. */
export interface Asking {
  readonly pods: readonly CheckedPod[];
  readonly policies: readonly Policy[];
  readonly book: FactBook;
  readonly options: CheckOptions;
  readonly terminal: Terminal;
}

/** Asked is what was found out beside the facts, which went into the book. */
export interface Asked {
  /** What could not be found out, and what was and does not count, each as a clause that names the image. */
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
  /** Why something of a reference, as it is written, could not be found out. */
  readonly reasons: ReadonlyMap<string, readonly string[]>;
  /** What the service decides images without a scan by; null where none was asked. */
  readonly coldImagePolicy: 'AllowAndScan' | 'DenyUntilScanned' | null;
}

/**
 * askAbout asks the service what it has recorded, and registries what neither it nor the files tell, and teaches both to the book.
 * Throws FileError and UsageError for what the flags name, and what calling the service throws.
 */
export async function askAbout(asking: Asking): Promise<Asked> {
  const { pods, policies, options, terminal } = asking;
  const nothing = { problems: [], remarks: [], reasons: new Map(), coldImagePolicy: null };
  const timeout = timeoutOf(options);
  // An export is a record of its time: current registries are asked beside it only on request.
  const use =
    options.offline || (options.registry === 'auto' && options.ledger !== undefined)
      ? 'never'
      : options.registry;
  assertUseful(options, use);
  if (options.offline) return nothing;
  const images = referencesOf(pods, policies);
  if (images.length === 0) return isNamed(options) ? { ...nothing, remarks: [UNCALLED] } : nothing;
  const service = isServiceMeant(options, terminal)
    ? await openService(terminal, options).catch((error: unknown) => {
        throw unmeant(error, options);
      })
    : null;
  const registry = new LazyRegistry(options, timeout, terminal.env);
  try {
    return await askEach(images, { ...asking, use, service, registry });
  } catch (error) {
    throw unmeant(refused(error, terminal, options), options);
  } finally {
    await service?.close();
    await registry.close();
  }
}

function timeoutOf({ registryTimeout }: CheckOptions): number {
  const timeout = parseDuration(registryTimeout);
  if (timeout !== null && timeout >= 1000 && timeout <= 600_000) return timeout;
  throw new UsageError(
    `--registry-timeout ${printable(registryTimeout)}: not a duration from 1s to 10m`,
    'Write it as 30s',
  );
}

/** A flag that would change nothing is a misunderstanding, and one that is misspelt would be believed. */
function assertUseful(
  { offline, registry, vex = [], insecureRegistry = [] }: CheckOptions,
  use: CheckOptions['registry'],
): void {
  if (offline && registry === 'always')
    throw new UsageError('--offline and --registry always exclude each other', 'Leave one out');
  if (vex.length > 0 && use === 'never')
    throw new UsageError(
      '--vex needs the registries, and none is asked',
      offline || registry === 'never'
        ? `Leave out ${offline ? '--offline' : '--registry never'}`
        : 'Give --registry always, since --ledger asks no registry by default',
    );
  for (const host of insecureRegistry) {
    const reference = parseReference(`${host}/image`);
    if (!('fault' in reference) && reference.host === host) continue;
    throw new UsageError(
      `--insecure-registry ${printable(host) || '""'}: not a valid registry host`,
      'Write it as registry.example:5000',
    );
  }
}

interface Wanted {
  readonly reference: ImageReference;
  /** Those that govern it somewhere. */
  readonly policies: readonly Policy[];
}

function referencesOf(pods: readonly CheckedPod[], policies: readonly Policy[]): readonly Wanted[] {
  const found = new Map<string, { reference: ImageReference; policies: Set<Policy> }>();
  for (const pod of pods) {
    const asked = governing(policies, pod.namespace);
    if (asked.length === 0) continue;
    for (const { image } of pod.images) {
      const reference = parseReference(image);
      if ('fault' in reference) continue;
      const known = found.get(image) ?? { reference, policies: new Set() };
      for (const policy of asked) known.policies.add(policy);
      found.set(image, known);
    }
  }
  return [...found.values()].map((one) => ({ ...one, policies: [...one.policies] }));
}

/** Who names a service expects that it is called. */
const UNCALLED = 'the service was not called: no policy decides on any of these images';

function isNamed({ server, tokenStdin }: CheckOptions): boolean {
  return server !== undefined || tokenStdin === true;
}

/** One that is named; or the one signed in to last, where no file reports scans. */
function isServiceMeant(options: CheckOptions, terminal: Terminal): boolean {
  const { ledger, trivy = [] } = options;
  if (isNamed(options)) return true;
  if (ledger !== undefined || trivy.length > 0) return false;
  return knowsService(terminal);
}

/** Who named no service may not have meant one: it is the one of IPO_SERVER, or signed in to at some time. */
function unmeant(error: unknown, options: CheckOptions): unknown {
  if (isNamed(options) || !isIpoError(error)) return error;
  if (error.code !== 'unauthenticated' && error.code !== 'network' && error.code !== 'unavailable')
    return error;
  const hint = `${error.hint === undefined || error.hint === null ? '' : `${error.hint.replace(/\.$/, '')}; or check without the registry: `}ipo check --offline, or facts in files by --ledger or --trivy`;
  return new IpoError(error.code, error.message, { place: error.place, hint, cause: error });
}

interface Round extends Asking {
  readonly use: CheckOptions['registry'];
  readonly service: ServiceClient | null;
  readonly registry: LazyRegistry;
}

/** A few images at once. */
async function askEach(images: readonly Wanted[], round: Round): Promise<Asked> {
  const answers = new Map<string, Pick<RegistryAnswer, 'problems' | 'remarks'>>();
  let coldImagePolicy = round.service === null ? null : await coldImagePolicyOfService(round.service);
  await eachOf(images, AT_ONCE, async (image) => {
    const tag = await askTag(image.reference, round);
    const told = await askService(image.reference, tag?.digest ?? null, round);
    coldImagePolicy ??= told;
    const { problems, remarks } = await askRegistry(image, tag, round);
    answers.set(image.reference.text, { problems: [...(tag?.problems ?? []), ...problems], remarks });
  });
  const all = (list: 'problems' | 'remarks'): readonly string[] =>
    gathered(images.map(({ reference: { text } }) => [text, answers.get(text)?.[list] ?? []]));
  const reasons = new Map([...answers].map(([text, { problems }]) => [text, problems]));
  return { coldImagePolicy, problems: all('problems'), remarks: all('remarks'), reasons };
}

/** One line for all images of which the same is said: a registry that is down would say it of each. */
function gathered(
  said: readonly (readonly [image: string, clauses: readonly string[]])[],
): readonly string[] {
  const images = new Map<string, Set<string>>();
  for (const [image, clauses] of said) {
    for (const clause of clauses) {
      const known = images.get(clause);
      if (known === undefined) images.set(clause, new Set([image]));
      else known.add(image);
    }
  }
  return [...images].map(([clause, [first = '', ...more]]) => {
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return `${printable(first)}${others}: ${clause}`;
  });
}

/** What a tag stands for now, where something here tells facts of digests that could count for it; null where nobody was asked. */
async function askTag(
  reference: ImageReference,
  { service, registry, book, options, use }: Round,
): Promise<ResolvedTag | null> {
  // An export is a record of its time, but a report that is given beside it is not.
  const mayAsk = use !== 'never' || (options.registry === 'auto' && !options.offline);
  const isForService = service !== null && (use === 'always' || (use === 'auto' && options.byName !== true));
  const isNeeded = isForService || book.needsTag();
  if (reference.digest !== null || !mayAsk || !isNeeded) return null;
  const found = await registry.resolve(reference);
  const { digest, outcome } = found;
  if (digest !== null) book.resolve(reference, { digest, from: 'registry' });
  else
    book.learn(reference, {
      ...NO_FACTS,
      ...(outcome === 'absent' ? {} : NOTHING_TOLD),
      ...found,
      remarks: [],
    });
  return found;
}

const NOTHING_TOLD = { signatures: null, attestations: null, provenance: null, vex: null } as const;

/** Gives the cold image policy of the service, where it knows the image. */
async function askService(
  reference: ImageReference,
  resolved: Digest | null,
  { service, book, options }: Round,
): Promise<Asked['coldImagePolicy']> {
  if (service === null) return null;
  book.serviceAsked();
  let digest = reference.digest ?? resolved;
  if (digest === null && options.byName) {
    const named = await tagOfService(service, reference);
    if (named !== null) book.resolve(reference, named);
    digest = named?.digest ?? null;
  }
  const told = digest === null || !isDigest(digest) ? null : await factsOfService(service, digest);
  if (told !== null && told.facts.digest !== null) book.record(told.facts.digest, told.facts, told.obstacle);
  return told?.coldImagePolicy ?? null;
}

async function askRegistry(
  { reference, policies }: Wanted,
  tag: ResolvedTag | null,
  { registry, book, use }: Round,
): Promise<Pick<RegistryAnswer, 'problems' | 'remarks'>> {
  const isTold = tag !== null && tag.digest === null; // asked again it would say the same
  if (use === 'never' || isTold || (use === 'auto' && !lacks(book.find(reference), policies)))
    return { problems: [], remarks: [] };
  const answer = await registry.ask(reference);
  book.learn(reference, answer);
  return answer;
}
