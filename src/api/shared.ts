/**
 * shared gives an answer that takes time to make to all who ask within `ms` milliseconds of its beginning: it is made once in that time,
 * however many ask. One that could not be made is not kept.
 */
export function shared<T>(make: () => Promise<T>, ms: number, now: () => number): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return () => {
    const at = now();
    if (last !== null && at - last.at < ms) return last.answer;
    const made = { at, answer: make() };
    last = made;
    made.answer.catch(() => {
      if (last === made) last = null;
    });
    return made.answer;
  };
}
