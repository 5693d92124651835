import { governing, mayAskRegistry } from '../pods/index.ts';
import type { Digest, Log } from '../base/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import { imagesOfSpec, type KnownReplacement } from './judge-replacement.ts';
import type { JudgeContext } from './judge-running.ts';
import type { Replacement, Replacements, RunningPod, TagDigests } from './ports.ts';

/** ReplacementDeps are what replacements are found out with. */
export interface ReplacementDeps {
  readonly replacements: Replacements;
  readonly tags: TagDigests;
  readonly lines: Log;
  readonly context: Pick<JudgeContext, 'policies' | 'coldImagePolicy' | 'at'>;
}

/**
 * knownReplacements finds out what would be made in the place of pods, by uid: null where nothing surely would, absent where it could
 * not be read. One look serves all pods of a controller.
 */
export async function knownReplacements(
  pods: readonly RunningPod[],
  { replacements, tags, lines, context }: ReplacementDeps,
  signal: AbortSignal,
): Promise<Map<string, KnownReplacement | null>> {
  const found = new Map<string, KnownReplacement | null>();
  const byController = new Map<string, KnownReplacement | null | undefined>();
  const digests = new Map<string, Digest | null>();
  for (const pod of pods) {
    const key = pod.controller?.uid;
    if (key === undefined || pod.mirror) {
      found.set(pod.uid, null);
      continue;
    }
    if (!byController.has(key)) {
      try {
        const replacement = await replacements.of(pod);
        const mayAsk = mayAskIn(pod.namespace, context);
        byController.set(key, replacement && (await resolve(replacement, { tags, mayAsk }, digests, signal)));
      } catch (error) {
        signal.throwIfAborted();
        lines.warn('what would replace a pod could not be read; it is left running', {
          namespace: pod.namespace,
          workload: pod.workload,
          error,
        });
        byController.set(key, undefined);
      }
    }
    const known = byController.get(key);
    if (known !== undefined) found.set(pod.uid, known);
  }
  return found;
}

/** A template names any host, as a pod does: what would be denied for its registry is not asked for there. */
function mayAskIn(
  namespace: string,
  { policies, coldImagePolicy, at }: ReplacementDeps['context'],
): (reference: ImageReference) => boolean {
  const asked = governing(policies, namespace);
  const bare = { signals: null, exposedBy: null, quota: null, breakGlass: null, coldImagePolicy };
  return (reference) => mayAskRegistry(asked, { ...bare, reference }, at);
}

async function resolve(
  replacement: Replacement,
  { tags, mayAsk }: { readonly tags: TagDigests; readonly mayAsk: (reference: ImageReference) => boolean },
  digests: Map<string, Digest | null>,
  signal: AbortSignal,
): Promise<KnownReplacement> {
  const images: KnownReplacement['images'][number][] = [];
  for (const one of imagesOfSpec(replacement.spec)) {
    const reference = parseReference(one.image);
    let digest: Digest | null = null;
    if (!('fault' in reference)) {
      digest = reference.digest ?? digests.get(one.image) ?? null;
      if (digest === null && !digests.has(one.image) && mayAsk(reference)) {
        digest = await tags.digestOf(one.image, signal);
        digests.set(one.image, digest);
      }
    }
    images.push({ ...one, digest });
  }
  return { ...replacement, images };
}
