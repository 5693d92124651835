import { formatTime } from '../base/index.ts';
import { toImageFactsDocument, type ImageFacts } from '../facts/index.ts';
import type { ImageResult } from '../checks/index.ts';

/** RecordedCase is a file with one case, as `ipo policy test` reads it. */
export type RecordedCase = Readonly<Record<string, unknown>>;

/** recordCase writes down what is known of an image now, and what the policies say of it, so that a later edit shows when that changes. */
export function recordCase(
  { image, subject, judgement: { outcome }, allowed, unknown, pod }: ImageResult,
  about: { readonly policies: readonly string[]; readonly at: number; readonly coldImagePolicy: string },
): RecordedCase {
  const { policies, at, coldImagePolicy } = about;
  const facts = subject === null ? null : factsDocument(subject.facts, image);
  const decided = allowed ? 'allowed' : { label: outcome.label, sentence: outcome.reason };
  const expect = allowed === null ? { undecided: unknown[0] ?? 'findings' } : decided;
  return {
    apiVersion: 'ipo.dev/v1',
    kind: 'PolicyTest',
    policy: policies.length === 1 ? policies[0] : policies,
    cases: [
      {
        name: `${image} as of ${formatTime(at)}`,
        at: formatTime(at),
        given: {
          image,
          ...(pod.namespace !== 'default' && { namespace: pod.namespace }),
          ...(pod.signals !== null && { signals: pod.signals }),
          ...(pod.exposedBy !== null && { exposedBy: pod.exposedBy }),
          ...(coldImagePolicy !== 'AllowAndScan' && { coldImagePolicy }),
          ...(facts !== null && { facts }),
        },
        expect,
      },
    ],
  };
}

/** Without a digest nothing is recorded of the image. */
function factsDocument(facts: ImageFacts, image: string): object | null {
  if (facts.digest === null) return null;
  return { ...toImageFactsDocument(facts), names: [image] };
}
