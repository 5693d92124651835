import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processors that an image is made for, as OCI names them. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Names of one processor: those of Node.js and of Debian's library folders. */
export const NAMES: Record<Architecture, { node: string; libraries: string }> = {
  amd64: { node: 'x64', libraries: 'x86_64-linux-gnu' },
  arm64: { node: 'arm64', libraries: 'aarch64-linux-gnu' },
};

/** What Debian gives to the image, and why. */
export const PACKAGES = [
  'base-files', // os-release, by which scanners know the system
  'ca-certificates',
  'gcc-12-base', // the licence of the two libraries of GCC
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'tzdata',
  'util-linux', // chrt, by which background work goes behind the webhook
] as const;

/** One package of Debian, or the program of Node.js: its version, and the SHA-256 of its file in hexadecimal. */
export interface Pin {
  version: string;
  sha256: string;
}

/** Pins names each file that goes into the image from outside of the repository, for each processor. */
export interface Pins {
  debian: Record<Architecture, Record<string, Pin>>;
  node: Record<Architecture, Pin>;
}

export const PINS_FILE = join(import.meta.dirname, 'pins.json');

/** readPins reads `scripts/image/pins.json`, which `npm run image -- --pin` writes. */
export function readPins(): Pins {
  return JSON.parse(readFileSync(PINS_FILE, 'utf8')) as Pins;
}
