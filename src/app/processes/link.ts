/** LinkEnds are told what comes over a link. */
export interface LinkEnds {
  message(message: unknown): void;
  /** The other part is there, for the first time or again: nothing that was said to an earlier life of it holds. */
  there(): void;
  /** The other part is gone. */
  gone(): void;
}

/**
 * Link carries messages between two parts of a service, in their order. Messages are copied on the way: only data, no functions. What is
 * sent while the other part is not there is lost.
 */
export interface Link {
  /** Begins: from now on the ends are told. Called once. */
  open(ends: LinkEnds): void;
  send(message: unknown): void;
}

/** linkedPair gives the two ends of a link within one process. */
export function linkedPair(): readonly [Link, Link] {
  const ends: [LinkEnds | null, LinkEnds | null] = [null, null];
  const link = (own: 0 | 1): Link => {
    const other = own === 0 ? 1 : 0;
    return {
      open(told) {
        ends[own] = told;
        if (ends[other] === null) return;
        for (const end of ends) setImmediate(() => end?.there());
      },
      send(message) {
        if (ends[0] === null || ends[1] === null) return;
        const copy: unknown = structuredClone(message);
        setImmediate(() => ends[other]?.message(copy));
      },
    };
  };
  return [link(0), link(1)];
}
