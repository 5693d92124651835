import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** One package of which something is in the built programs. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as its package.json has it. */
  readonly license: string;
}

const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[._-].*)?$/i;

/**
 * Bundled collects which packages are in the built programs, and writes what their licences ask for: `packages.json`, from which the SBOM is
 * made, and `THIRD-PARTY.txt` with the text of each licence.
 */
export class Bundled {
  readonly #folders = new Set<string>();

  /** add takes what esbuild says of one build: packages of which no byte is left are not counted. */
  add(metafile: Metafile | undefined): void {
    for (const output of Object.values(metafile?.outputs ?? {}))
      for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
        const [, folder] =
          /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.replace(/^[\w-]+:/, '')) ?? [];
        if (folder !== undefined && bytesInOutput > 0) this.#folders.add(folder);
      }
  }

  /** write emits both files. It throws where a package says nothing of its licence. */
  write(root: string, out: string): void {
    const found = new Map<string, BundledPackage & { readonly text: string }>();
    for (const folder of [...this.#folders].toSorted()) {
      const { name, version, license } = JSON.parse(
        readFileSync(join(root, folder, 'package.json'), 'utf8'),
      ) as Partial<BundledPackage>;
      if (name === undefined || version === undefined) continue;
      const text = licenceOf(join(root, folder));
      // Some old packages have only the text.
      const expression =
        license ?? (/Permission is hereby granted, free of charge/.test(text) ? 'MIT' : undefined);
      if (expression === undefined) throw new Error(`${folder} says nothing of its licence`);
      found.set(`${name}@${version}`, { name, version, license: expression, text });
    }
    const packages = [...found.values()].toSorted((a, b) =>
      `${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1,
    );
    writeFileSync(
      join(out, 'packages.json'),
      `${JSON.stringify(packages.map(({ name, version, license }) => ({ name, version, license })))}\n`,
    );
    writeFileSync(join(out, 'THIRD-PARTY.txt'), packages.map(section).join('\n'));
  }
}

function section({ name, version, license, text }: BundledPackage & { readonly text: string }): string {
  const title = `${name} ${version} (${license})`;
  return `${title}\n${'='.repeat(title.length)}\n\n${text === '' ? 'The package has no file with its licence.' : text}\n`;
}

function licenceOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').replaceAll('\r', '').trim())
    .join('\n\n');
}
