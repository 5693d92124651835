import type { RecordKind } from '../history/index.ts';
import type { SourceFacts } from './ports.ts';

/** recordedSince gives since when each cluster has this recorded, in UTC milliseconds; none where the source does not say. */
export function recordedSince(
  { began }: Pick<SourceFacts, 'began'>,
  kind: RecordKind,
): readonly { readonly cluster: string; readonly at: number }[] {
  return (began ?? []).filter(({ record }) => record === kind);
}
