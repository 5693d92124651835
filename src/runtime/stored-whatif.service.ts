import {
  RuntimeReplay,
  type RecordedEvent,
  type ReplayLimits,
  type RuntimeDraft,
  type RuntimeWhatIf,
} from './whatif.ts';

/** RuntimeHistory reads events that were decided. */
export interface RuntimeHistory {
  /**
   * Events of a cluster (null for none) whose own time is not before `since`, in the order in which they were decided, in pages. They have
   * the output fields of these names only.
   */
  recorded(
    cluster: string | null,
    since: number,
    fields: ReadonlySet<string>,
  ): AsyncIterable<readonly RecordedEvent[]>;
}

/** StoredReplay is what is replayed, and over which events. */
export interface StoredReplay {
  readonly draft: RuntimeDraft;
  readonly limits: ReplayLimits;
  readonly cluster: string | null;
  /** UTC milliseconds from which on events count; those before fill windows and throttles. */
  readonly since: number;
}

/** replayStored decides stored events under a draft, as the live path would have. It writes nothing and stops nothing. */
export async function replayStored(
  history: RuntimeHistory,
  { draft, limits, cluster, since }: StoredReplay,
): Promise<RuntimeWhatIf> {
  const replay = new RuntimeReplay(draft, limits, false);
  const matches = [...draft.rules, ...draft.policies.map(({ spec }) => spec)].map(({ match }) => match);
  const fields = new Set(matches.flatMap((match) => (match.fields ?? []).map(({ name }) => name)));
  for await (const page of history.recorded(cluster, since - replay.memory, fields))
    for (const event of page)
      if (event.subject.at < since) replay.remember(event);
      else replay.take(event);
  return replay.result();
}
