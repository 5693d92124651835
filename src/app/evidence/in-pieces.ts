/** inPieces cuts chunks into pieces of `size` bytes, the last one of what is left. Each is in memory that the piece `atOnce` further on takes. */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
  atOnce: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const memory = Array.from({ length: atOnce }, () => new Uint8Array(size));
  let [number, used] = [0, 0];
  const piece = (): Uint8Array => memory[number % atOnce] as Uint8Array;
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + size - used);
      piece().set(part, used);
      used += part.length;
      at += part.length;
      if (used < size) continue;
      yield piece();
      [number, used] = [number + 1, 0];
    }
  if (used > 0) yield piece().subarray(0, used);
}
