import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../src/base/index.ts';
import { PACKAGES, type Architecture, type Pin } from './pins.ts';

/**
 * Packages of Debian, downloaded with apt-get and never installed. apt-get checks Debian's signatures with the keys of this machine; the
 * pins make sure that the same files come every time. A machine of another processor is not an obstacle: apt-get keeps lists of its own
 * here.
 */
export class Debian {
  readonly #folder: string;
  readonly #architecture: Architecture;

  constructor(cache: string, architecture: Architecture) {
    this.#folder = join(cache, 'debian', architecture);
    this.#architecture = architecture;
    mkdirSync(this.#folder, { recursive: true });
  }

  /** files gives the path of each pinned package, downloaded if it is not in the cache. It throws where a file is not the pinned one. */
  files(pins: Record<string, Pin>): Map<string, string> {
    const missing = Object.entries(pins).filter(
      ([name, { version }]) => !existsSync(this.#path(name, version)),
    );
    if (missing.length > 0) this.#download(missing.map(([name, { version }]) => `${name}=${version}`));
    // The end of a file's name, the processor or `all`, is known once the file is there.
    const paths = new Map(Object.entries(pins).map(([name, pin]) => [name, this.#path(name, pin.version)]));
    for (const [name, pin] of Object.entries(pins)) {
      const path = paths.get(name) ?? '';
      const given = existsSync(path) ? sha256Hex(readFileSync(path)) : 'absent';
      if (given !== pin.sha256)
        throw new Error(
          `${path}: SHA-256 is ${given}, but ${name} ${pin.version} is pinned to ${pin.sha256}; delete the file, or run npm run image -- --pin`,
        );
    }
    return paths;
  }

  /** newest downloads the newest version of each package, and gives what to pin. */
  newest(): Record<string, Pin> {
    const files = this.#fetch(PACKAGES);
    return Object.fromEntries(
      PACKAGES.map((name) => {
        const file = files.find((entry) => entry.startsWith(`${name}_`));
        if (file === undefined) throw new Error(`apt-get has no package ${name} for ${this.#architecture}`);
        const path = join(this.#folder, file);
        return [name, { version: field(path, 'Version'), sha256: sha256Hex(readFileSync(path)) }];
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
    try {
      this.#fetch(packages);
    } catch (error) {
      throw new Error(
        `apt-get cannot download ${packages.join(', ')}. If Debian has newer versions: npm run image -- --pin`,
        { cause: error },
      );
    }
  }

  /**
   * Downloads packages into a folder of this process, and moves each into the cache once it is whole: another process that makes an image
   * at the same time reads no half of a file, and waits for no lock. Gives the names of the files.
   */
  #fetch(packages: readonly string[]): string[] {
    const own = mkdtempSync(join(this.#folder, '.fetch-'));
    const [state, files] = [join(own, 'apt'), join(own, 'files')];
    for (const path of ['lists/partial', 'archives/partial'])
      mkdirSync(join(state, path), { recursive: true });
    mkdirSync(files);
    const options = [
      ['Dir::State::lists', join(state, 'lists')],
      ['Dir::State::status', '/dev/null'],
      ['Dir::Cache', state],
      ['APT::Architecture', this.#architecture],
      ['APT::Architectures', this.#architecture],
      ['APT::Sandbox::User', 'root'],
    ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const run = (...args: readonly string[]): unknown =>
      execFileSync('apt-get', ['-qq', ...options, ...args], {
        cwd: files,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    try {
      run('update');
      run('download', ...packages);
      const names = readdirSync(files).filter((name) => name.endsWith('.deb'));
      for (const name of names) renameSync(join(files, name), join(this.#folder, name));
      return names;
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
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
