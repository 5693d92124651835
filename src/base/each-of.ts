/** eachOf acts on each of several things, this many at a time, in their order. The first fault ends it. */
export async function eachOf<T>(
  things: readonly T[],
  atOnce: number,
  act: (thing: T) => Promise<void>,
): Promise<void> {
  const left = things.values();
  const turn = async (): Promise<void> => {
    for (const thing of left) await act(thing);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, things.length) }, turn));
}
