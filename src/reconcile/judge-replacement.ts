import { governing, judgeImage, judgePod, podImagesOf, signalsOf } from '../pods/index.ts';
import type { Digest } from '../base/index.ts';
import { parseReference } from '../image/index.ts';
import { digestOf, subjectOf, type JudgeContext, type JudgedPod } from './judge-running.ts';
import type { PodSpec, Replacement } from './ports.ts';

/** ReplacementImage is an image of the pod that would be made, with the digest that it would run; null when that is not known. */
export interface ReplacementImage {
  readonly container: string;
  readonly image: string;
  readonly digest: Digest | null;
}

/** KnownReplacement is what would be made in the place of a pod, with what its images stand for. */
export interface KnownReplacement extends Replacement {
  readonly images: readonly ReplacementImage[];
}

/** imagesOfSpec gives the images that a pod of this spec starts with. */
export function imagesOfSpec(spec: PodSpec): Omit<ReplacementImage, 'digest'>[] {
  return podImagesOf(spec)
    .filter(({ role }) => role !== 'ephemeral')
    .map(({ container, image }) => ({ container, image }));
}

/**
 * judgeReplacement judges the pod that would be made in the place of another, as its admission would: by every policy that governs
 * the namespace, without break-glass. Gives null when it would be admitted, else a clause that says why that is not certain. A
 * template does not show what other webhooks add to a pod, and a pod that was changed by one would come back so: its containers
 * that the template has not, and its signals, are therefore taken to be there again. `quota` gives the sentence by which the name
 * of an image is refused, or null. Pure.
 */
export function judgeReplacement(
  { pod, signals: shown }: Pick<JudgedPod, 'pod' | 'signals'>,
  { labels, spec, images }: KnownReplacement,
  quota: (name: string) => string | null,
  context: JudgeContext,
): string | null {
  const policies = governing(context.policies, pod.namespace);
  const exposedBy = context.exposedBy(pod.namespace, labels);
  const own = signalsOf(spec, exposedBy);
  const signals = [...own, ...shown.filter((signal) => !own.some((other) => other === signal))];
  const hardening = judgePod(policies, signals, null);
  if (!hardening.allowed) return refused(hardening.label);
  const added = pod.containers
    .filter(({ name, role }) => role !== 'ephemeral' && !images.some(({ container }) => container === name))
    .map((container) => ({ image: container.image, digest: digestOf(container) }));
  for (const { image, digest } of [...images, ...added]) {
    const reference = parseReference(image);
    const sentence = 'fault' in reference ? null : quota(reference.name);
    const subject = subjectOf(image, digest, signals, exposedBy, sentence, context);
    if (subject === null) return 'what its replacement would run is not known';
    const { outcome, undecided } = judgeImage(policies, subject, context.at);
    if (!outcome.allowed) return refused(outcome.label);
    if (digest === null) return 'what its replacement would run is not known';
    if (undecided !== null) return 'whether its replacement would be admitted is not known';
  }
  return null;
}

function refused(label: string | null): string {
  return `its replacement would be refused too (${label ?? 'policy'})`;
}
