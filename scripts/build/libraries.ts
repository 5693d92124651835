import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { FONTS } from '../../src/render/pdf-fonts.ts';

/** Found in node_modules when they are needed: native code, and what is asked for in case it is there. */
export const EXTERNAL = ['better-sqlite3', 'pg-native'];

/** In the file of a program itself: small, and wanted wherever something is shown. */
const INLINE = ['commander', 'chalk', 'cli-table3', 'canonicalize', 'csv-stringify'];

/** Parts of which nothing is used, and that would be most of their package: sentences in all languages; texts in all encodings of old. */
const LEFT_OUT = /\/zod\/v4\/locales\/index\.js$/;

/** Library is a package that stands in a file of its own beside the programs, loaded where something of it is evaluated. */
interface Library {
  /** Whether it is made of modules, of which its file takes what we use. */
  readonly modules: boolean;
  /** By what is imported (`zod`, `zod/mini`): the names that our sources use; null is all of them. */
  readonly parts: Map<string, Set<string> | null>;
}

/** What the fonts stand in, in place of the files that `pdf-fonts.ts` names; packed, since there is no need to read them quickly. */
const FONTS_FILE = 'lib/fonts';

export class Libraries {
  readonly #found: ReadonlyMap<string, Library>;

  private constructor(found: ReadonlyMap<string, Library>) {
    this.#found = found;
  }

  /** Finds every package that the sources in some folders import. */
  static async find(root: string, folders: readonly string[]): Promise<Libraries> {
    const found = new Map<string, Library>();
    for (const folder of folders)
      for (const name of await readdir(`${root}${folder}`, { recursive: true })) {
        if (!name.endsWith('.ts')) continue;
        const text = await readFile(`${root}${folder}/${name}`, 'utf8');
        for (const path of importedPaths(text)) {
          const own = packageOf(path);
          if ([...EXTERNAL, ...INLINE].includes(own)) continue;
          const library = found.get(own) ?? { modules: await isOfModules(root, own), parts: new Map() };
          found.set(own, library);
          const before = library.parts.get(path);
          const names = await usedNames(text, path);
          library.parts.set(
            path,
            before === null || names === null ? null : new Set([...(before ?? []), ...names]),
          );
        }
      }
    return new Libraries(found);
  }

  /** The expression that loads what is imported by this path, or null where it stands in the file itself. */
  loading(path: string): string | null {
    const name = packageOf(path);
    const library = this.#found.get(name);
    if (library === undefined || !library.parts.has(path)) return null;
    return `require('./${fileOf(name)}.cjs')${library.parts.size > 1 ? `[${JSON.stringify(path)}]` : ''}`;
  }

  /** What our sources import of a library is taken from its file. */
  plugin(): Plugin {
    return {
      name: 'libraries',
      setup: ({ onResolve, onLoad }) => {
        onResolve({ filter: /^\.\/lib\/.*\.cjs$/ }, ({ path }) => ({ path, external: true }));
        onLoad({ filter: /\/src\/render\/pdf-fonts\.ts$/ }, () => ({
          contents: `export { FONTS } from './${FONTS_FILE}.cjs';`,
          resolveDir: process.cwd(),
        }));
        onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind }) => {
          const isOurs = !importer.includes('node_modules') && importer.endsWith('.ts');
          if (!isOurs || this.loading(path) === null) return null;
          const names = await usedNames(await readFile(importer, 'utf8'), path);
          const isWhole = kind !== 'import-statement' || names === null;
          return { path, namespace: 'library', suffix: isWhole ? '' : `?${[...names].toSorted().join(',')}` };
        });
        onLoad({ filter: /.*/, namespace: 'library' }, ({ path, suffix }) => {
          const loading = this.loading(path) ?? '';
          const names = suffix
            .slice(1)
            .split(',')
            .filter((name) => name !== '');
          if (suffix === '') return { contents: `module.exports = ${loading};`, resolveDir: process.cwd() };
          // As Node gives a module what is CommonJS: its exports as a whole are the default.
          const lines = names.map((name) =>
            name === 'default'
              ? 'export default library;'
              : `const $${name} = library.${name}; export { $${name} as ${name} };`,
          );
          return { contents: `const library = ${loading};\n${lines.join('\n')}`, resolveDir: process.cwd() };
        });
      },
    };
  }

  /** Emits the file of each, and gives what esbuild says of them. */
  async emit(options: BuildOptions): Promise<Metafile | undefined> {
    const entries = [...this.#found.keys()];
    const { metafile } = await build({
      ...options,
      entryPoints: [
        ...entries.map((name) => ({ in: `library:${name}`, out: fileOf(name) })),
        { in: 'fonts:', out: FONTS_FILE },
      ],
      plugins: [
        {
          name: 'library-files',
          setup: ({ onResolve, onLoad, resolve }) => {
            onResolve({ filter: /^library:/ }, ({ path }) => ({
              path: path.slice(8),
              namespace: 'library-file',
            }));
            onLoad({ filter: /.*/, namespace: 'library-file' }, ({ path }) => ({
              contents: this.#entry(path),
              resolveDir: process.cwd(),
            }));
            onResolve({ filter: /^names:/ }, ({ path }) => ({
              path: path.slice(6),
              namespace: 'library-names',
            }));
            onLoad({ filter: /.*/, namespace: 'library-names' }, ({ path }) => ({
              contents: exportOf(path, this.#found.get(packageOf(path))?.parts.get(path) ?? null),
              resolveDir: process.cwd(),
            }));
            // One library in another is that of its own file.
            onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
              if (pluginData === 'within' || importer === '' || !importer.includes('node_modules'))
                return null;
              const other = packageOf(path);
              if (this.#found.get(other)?.modules !== false || importer.includes(`node_modules/${other}/`))
                return null;
              const found = await resolve(path, { kind, resolveDir, pluginData: 'within' });
              const nested = found.path.split('node_modules/').length > 2;
              return nested || !this.#found.get(other)?.parts.has(path)
                ? null
                : { path: `./${fileOf(other).slice(4)}.cjs`, external: true };
            });
            onLoad({ filter: LEFT_OUT }, () => ({ contents: 'export {};' }));
            onLoad({ filter: /\/pdfkit\/js\/pdfkit\.js$/ }, async ({ path }) => ({
              contents: withoutFiles(await readFile(path, 'utf8')),
            }));
            onResolve({ filter: /^fonts:/ }, () => ({ path: 'fonts', namespace: 'fonts' }));
            onLoad({ filter: /.*/, namespace: 'fonts' }, () => ({
              contents: fontsEntry(),
              resolveDir: process.cwd(),
            }));
            onLoad({ filter: /\.ttf$/ }, async ({ path }) => ({
              contents: deflateRawSync(await readFile(path), { level: 9 }),
              loader: 'binary',
            }));
          },
        },
      ],
    });
    return metafile;
  }

  #entry(name: string): string {
    const { modules, parts } = this.#found.get(name) ?? { modules: false, parts: new Map<string, null>() };
    const paths = [...parts.keys()].toSorted();
    const [only = name] = paths;
    if (paths.length > 1)
      return modules
        ? paths.map((path) => `export * as ${JSON.stringify(path)} from 'names:${path}';`).join('\n')
        : `module.exports = { ${paths.map((path) => `${JSON.stringify(path)}: require('${path}')`).join(', ')} };`;
    return modules ? exportOf(only, parts.get(only) ?? null) : `module.exports = require('${only}');`;
  }
}

function exportOf(path: string, names: ReadonlySet<string> | null): string {
  return names === null
    ? `export * from '${path}';`
    : `export { ${[...names].toSorted().join(', ')} } from '${path}';`;
}

function fontsEntry(): string {
  const fonts = Object.entries(FONTS);
  return [
    "import { inflateRawSync } from 'node:zlib';",
    ...fonts.map(([name, path]) => `import ${name} from ${JSON.stringify(path)};`),
    `export const FONTS = { ${fonts.map(([name]) => `${name}: inflateRawSync(${name})`).join(', ')} };`,
  ].join('\n');
}

/** pdfkit reads the profile of its colours in its own folder: that is brought along. So are the standard fonts, which we do not use. */
function withoutFiles(text: string): string {
  const profile = readFileSync(new URL('data/sRGB_IEC61966_2_1.icc', import.meta.resolve('pdfkit')));
  const reading = 'fs.readFileSync(ICC_PROFILE_PATH)';
  const fonts = /require\$1\('#standard-fonts\/\w+'\)/g;
  if (!text.includes(reading) || !fonts.test(text))
    throw new Error('pdfkit finds its files in another way now');
  return text
    .replace(reading, `Buffer.from('${profile.toString('base64')}', 'base64')`)
    .replaceAll(fonts, 'null');
}

async function isOfModules(root: string, name: string): Promise<boolean> {
  const manifest = JSON.parse(await readFile(`${root}node_modules/${name}/package.json`, 'utf8')) as {
    type?: string;
  };
  return manifest.type === 'module';
}

/** fileOf names the file of a package beside the programs: `@sigstore/core` is `lib/sigstore-core`. */
function fileOf(name: string): string {
  return `lib/${name.replace('@', '').replace('/', '-')}`;
}

function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

const STATIC = /^(?:import|export) (?!type\b)([^;']*?) from '([^.'/][^']*)';/gm;
const DYNAMIC = /\bimport\('([^.'/][^']*)'\)/g;

/** The packages that a source imports while it runs, and parts of packages. */
function importedPaths(text: string): readonly string[] {
  const paths = [
    ...[...text.matchAll(STATIC)].map(([, , path = '']) => path),
    ...[...text.matchAll(DYNAMIC)].map(([, path = '']) => path),
  ];
  return [...new Set(paths)].filter((path) => path !== '' && !path.startsWith('node:'));
}

/** usedNames gives the names that a source uses of what it imports, those of types left out; null where it takes it as a whole. */
export async function usedNames(text: string, path: string): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>();
  for (const [, clause = '', from] of text.matchAll(STATIC)) {
    if (from !== path) continue;
    const [, whole] = /\* as (\w+)/.exec(clause) ?? [];
    if (whole !== undefined)
      for (const [, name = ''] of text.matchAll(new RegExp(`\\b${whole}\\s*\\.\\s*(\\w+)`, 'g')))
        names.add(name);
    const [, braces = ''] = /\{([^}]*)\}/.exec(clause) ?? [];
    for (const part of braces.split(',').map((one) => one.trim()))
      if (part !== '' && !part.startsWith('type ')) names.add(part.split(' as ')[0] ?? part);
    if (/^\w/.test(clause)) names.add('default');
  }
  const loads = [...text.matchAll(DYNAMIC)].filter(([, from]) => from === path).length;
  const taken = [
    ...text.matchAll(new RegExp(`const \\{([^}]*)\\} = await import\\('${path}'\\)`, 'g')),
    ...text.matchAll(new RegExp(`import\\('${path}'\\)\\.then\\(\\(\\{([^}]*)\\}\\)`, 'g')),
  ];
  if (taken.length < loads) return null;
  for (const [, braces = ''] of taken)
    for (const name of braces.split(',').map((one) => one.trim())) if (name !== '') names.add(name);
  const known = new Set(Object.keys((await import(path)) as object));
  // A namespace of zod that only types are taken from, and the names of types beside it.
  return new Set([...names].filter((name) => known.has(name) && name !== 'core'));
}
