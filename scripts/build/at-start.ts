import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build, transform, type BuildOptions, type Metafile } from 'esbuild';

/**
 * emitAtStart bundles programs that are started again and again, and gives what esbuild says of them.
 * The compile cache of Node holds what V8 compiles with a file, and not what it compiles when a function is first called. So the functions
 * that evaluate modules stand in parentheses, for which V8 compiles them with the file. A file that is ASCII takes half the memory, and is
 * read and compared with the cache in less time.
 */
export async function emitAtStart(options: BuildOptions): Promise<Metafile> {
  // Whitespace goes last: the end of each such function is found by it.
  const { metafile, outputFiles } = await build({
    ...options,
    minifyWhitespace: false,
    write: false,
    metafile: true,
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(atOnce(text), {
      minifyWhitespace: true,
      legalComments: 'none',
      target: options.target ?? 'node24',
    });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, inAscii(code));
  }
  return metafile;
}

/**
 * The function that evaluates a module, as esbuild writes it: from `var init = esm(() => {` to a line `});`. A text with such a line would
 * end it too early, and the build would fail.
 */
const MODULE = /^(var (?:[\w$]+, )*[\w$]+ = [\w$]+\()(\([\w$, ]*\)) => (\{\n(?:[^]*?\n)??\})(\);)$/gm;

const atOnce = (text: string): string => text.replaceAll(MODULE, '$1(function $2 $3)$4');

/** Only regular expressions have other characters: esbuild itself writes those of texts in this way. */
function inAscii(code: string): string {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
