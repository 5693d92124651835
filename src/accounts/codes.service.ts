import type { AccountParts } from './parts.ts';
import type { OneTimeCode } from './ports.ts';
import { makeCode } from './make-secret.service.ts';
import { readCode, secretHash } from './secret.ts';

/** IssuedCode is a new one-time code; it is not kept and cannot be told again. */
export interface IssuedCode {
  readonly code: string;
  /** UTC milliseconds. */
  readonly expiresAt: number;
}

const MINUTE = 60_000;

/** CODE_LIFE is how long a code works, in milliseconds. */
const CODE_LIFE: Readonly<Record<OneTimeCode['purpose'], number>> = {
  setup: 24 * 60 * MINUTE,
  password: 3 * 24 * 60 * MINUTE,
  sign_in: 5 * MINUTE,
};

/** Codes are one-time codes. */
export interface Codes {
  /** Makes a code; for `password` earlier ones of the account stop working. Only inside `Together`. */
  issue(
    purpose: OneTimeCode['purpose'],
    accountId: string | null,
    binding: string | null,
  ): Promise<IssuedCode>;
  /** Takes away every code of an account. */
  endAll(accountId: string): Promise<void>;
}

/** openCodes joins codes with the store. */
export function openCodes({ codes, clock }: Pick<AccountParts, 'codes' | 'clock'>): Codes {
  return {
    async issue(purpose, accountId, binding) {
      if (purpose === 'password') await codes.takeAll(purpose, accountId);
      const code = makeCode();
      const createdAt = clock.now();
      const expiresAt = createdAt + CODE_LIFE[purpose];
      const hash = secretHash(readCode(code) ?? code);
      await codes.insert({ hash, purpose, accountId, binding, createdAt, expiresAt });
      return { code, expiresAt };
    },
    async endAll(accountId) {
      for (const purpose of ['password', 'sign_in'] as const) await codes.takeAll(purpose, accountId);
    },
  };
}
