import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseTrustRoot, type TrustRoot } from '../../src/adapters/sigstore/trust-root.ts';
import type { Rules } from '../../src/adapters/sigstore/evidence.ts';

const DATA = new URL('../../../shared/data/provenance/', import.meta.url);

/** NOT_AT_HAND is the reason to skip where the real bundles are not beside the project, else false. */
export const NOT_AT_HAND: string | false = existsSync(DATA) ? false : 'shared/data/provenance is not at hand';

/** bytes gives a file of the real data. */
export const bytes = (path: string): Buffer => readFileSync(new URL(path, DATA));
/** Loose is JSON whose members are taken as the data's index says they are. */
export type Loose = ReturnType<typeof JSON.parse>;

export const json = (path: string): Loose => JSON.parse(bytes(path).toString('utf8'));
export const present = (path: string): boolean => existsSync(new URL(path, DATA));
export const folders = (path: string): string[] => readdirSync(new URL(path, DATA));

let known: TrustRoot | null = null;

/** publicGood gives the trust root of Sigstore's public instance. */
export function publicGood(): TrustRoot {
  return (known ??= parseTrustRoot(bytes('trust/trusted_root.json'), 'trusted_root.json'));
}

/** rules gives those that verify by a trust root, the public one unless said. */
export function rules(
  trust: TrustRoot | null = publicGood(),
  keyedLog: Rules['keyedLog'] = 'optional',
): Rules {
  return { trust, keyedLog };
}

/** toBytes gives a JSON value as it would come out of a registry. */
export const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');
