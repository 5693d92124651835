/**
 * withLateScavenges gives the same chunks, and while they are read V8 collects what died young when there is no more room for it, and not also
 * in the pauses between two chunks: a replay of a small export spends a twentieth of its whole time on those. Other code that is loaded in
 * between is compiled again, since Node's compile cache depends on the flags of V8.
 */
export async function* withLateScavenges(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Loaded here: a command that reads no export does without it, five milliseconds.
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--no-minor-gc-task');
  try {
    yield* chunks;
  } finally {
    setFlagsFromString('--minor-gc-task');
  }
}
