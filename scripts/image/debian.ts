import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGES, sha256, type Architecture, type Pin } from './pins.ts';

/**
 * Packages of Debian, downloaded with apt-get and never installed. apt-get checks Debian's signatures with the keys of this machine; the
 * pins make sure that the same files come every time. A machine of another processor is not an obstacle: apt-get keeps lists of its own
 * here.
 */
export class Debian {
  readonly #folder: string;
  readonly #options: string[];
  readonly #architecture: Architecture;

  constructor(cache: string, architecture: Architecture) {
    this.#folder = join(cache, 'debian', architecture);
    this.#architecture = architecture;
    const state = join(cache, 'apt', architecture);
    mkdirSync(join(state, 'lists/partial'), { recursive: true });
    mkdirSync(join(state, 'archives/partial'), { recursive: true });
    mkdirSync(this.#folder, { recursive: true });
    this.#options = [
      ['Dir::State::lists', join(state, 'lists')],
      ['Dir::State::status', '/dev/null'],
      ['Dir::Cache', state],
      ['APT::Architecture', architecture],
      ['APT::Architectures', architecture],
      ['APT::Sandbox::User', 'root'],
    ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  }

  /** files gives the path of each pinned package, downloaded if it is not in the cache. It throws where a file is not the pinned one. */
  files(pins: Record<string, Pin>): Map<string, string> {
    const paths = new Map(Object.entries(pins).map(([name, pin]) => [name, this.#path(name, pin.version)]));
    const missing = Object.entries(pins).filter(([name]) => !existsSync(paths.get(name) ?? ''));
    if (missing.length > 0) this.#download(missing.map(([name, { version }]) => `${name}=${version}`));
    for (const [name, pin] of Object.entries(pins)) {
      const path = paths.get(name) ?? '';
      const given = existsSync(path) ? sha256(readFileSync(path)) : 'absent';
      if (given !== pin.sha256)
        throw new Error(
          `${path}: SHA-256 is ${given}, but ${name} ${pin.version} is pinned to ${pin.sha256}; delete the file, or run npm run image -- --pin`,
        );
    }
    return paths;
  }

  /** newest downloads the newest version of each package, and gives what to pin. */
  newest(): Record<string, Pin> {
    this.#update();
    this.#run(['download', ...PACKAGES]);
    return Object.fromEntries(
      PACKAGES.map((name) => {
        const file = readdirSync(this.#folder)
          .filter((entry) => entry.startsWith(`${name}_`))
          .toSorted()
          .at(-1);
        if (file === undefined) throw new Error(`apt-get has no package ${name} for ${this.#architecture}`);
        const path = join(this.#folder, file);
        return [name, { version: field(path, 'Version'), sha256: sha256(readFileSync(path)) }];
      }),
    );
  }

  #path(name: string, version: string): string {
    const files = readdirSync(this.#folder);
    // apt-get writes the colon of an epoch as %3a.
    const start = `${name}_${version.replaceAll(':', '%3a')}_`;
    return join(
      this.#folder,
      files.find((file) => file.startsWith(start)) ?? `${start}${this.#architecture}.deb`,
    );
  }

  #download(packages: string[]): void {
    this.#update();
    try {
      this.#run(['download', ...packages]);
    } catch (error) {
      throw new Error(
        `apt-get cannot download ${packages.join(', ')}. If Debian has newer versions: npm run image -- --pin`,
        { cause: error },
      );
    }
    for (const name of packages.map((entry) => entry.split('=')))
      if (!existsSync(this.#path(name[0] ?? '', name[1] ?? '')))
        throw new Error(`apt-get did not download ${name.join(' ')}`);
  }

  #update(): void {
    this.#run(['update']);
  }

  #run(args: string[]): void {
    execFileSync('apt-get', ['-qq', ...this.#options, ...args], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}

/** contentsOf gives the files of a package as a tar archive. */
export function contentsOf(path: string): Buffer {
  return execFileSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 1 << 28 });
}

/** controlOf gives the control file of a package, as dpkg keeps it in `/var/lib/dpkg/status.d`. */
export function controlOf(path: string): string {
  return execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' });
}

function field(path: string, name: string): string {
  return execFileSync('dpkg-deb', ['--field', path, name], { encoding: 'utf8' }).trim();
}
