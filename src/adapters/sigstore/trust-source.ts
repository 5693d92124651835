import { stat } from 'node:fs/promises';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/index.ts';
import { MAX_TRUST_ROOT_BYTES } from './trust-root.ts';
import type { RootDocument } from './verify-protocol.ts';

/** CurrentTrust is the trust root to verify with now, or why there is none. */
export interface CurrentTrust {
  /** The same object as long as it is the same document. */
  readonly document: RootDocument | null;
  readonly fault: string | null;
}

/** TrustSource gives the trust root to verify with. Never throws. */
export interface TrustSource {
  current(signal: AbortSignal): Promise<CurrentTrust>;
}

/** Milliseconds for which a file is not looked at again. */
const LOOK_AGAIN_MS = 10_000;

/** openTrustFile reads a trust root from a file, and again when it is another one: a mounted ConfigMap is replaced as it runs. */
export function openTrustFile(path: string, clock: Clock): TrustSource {
  let known: CurrentTrust = { document: null, fault: null };
  let mark = '';
  let lookedAt = -Infinity;
  return {
    async current() {
      const now = clock.now();
      if (now - lookedAt < LOOK_AGAIN_MS && now >= lookedAt) return known;
      lookedAt = now;
      try {
        const { mtimeMs, size, ino } = await stat(path);
        if (size > MAX_TRUST_ROOT_BYTES) throw new Error(`it has over ${MAX_TRUST_ROOT_BYTES} bytes`);
        const found = `${mtimeMs} ${size} ${ino}`;
        if (found !== mark) known = { document: { bytes: await readFile(path), file: path }, fault: null };
        mark = found;
      } catch (error) {
        mark = '';
        known = { document: null, fault: `the trust root ${path} cannot be read: ${reason(error)}` };
      }
      return known;
    },
  };
}

function reason(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
}
