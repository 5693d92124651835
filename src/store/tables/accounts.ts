/** AccountTables hold who may sign in and how. */
export interface AccountTables {
  accounts: {
    id: string;
    /** Lower case; null once anonymised. */
    email: string | null;
    name: string | null;
    avatar: string | null;
    role: string;
    /** PHC string of argon2id, or null when the account signs in only by OIDC. */
    password_hash: string | null;
    /** `issuer` and `sub` of the identity provider, separated by a line feed, or null. */
    oidc_subject: string | null;
    created_at: number;
    disabled_at: number | null;
    anonymised_at: number | null;
  };
  sessions: {
    /** SHA-256 of the session's secret. */
    id_hash: Buffer;
    account_id: string;
    created_at: number;
    used_at: number;
    expires_at: number;
  };
  tokens: {
    id: string;
    account_id: string;
    name: string;
    role: string;
    /** SHA-256 of the token. */
    hash: Buffer;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    revoked_at: number | null;
  };
  sign_in_failures: {
    /** `account:<sha256 of the e-mail address>` or `address:<client address>`. */
    key: string;
    failures: number;
    last_at: number;
    blocked_until: number;
  };
  /** Codes that work once: to set the service up, to set a password, to finish a sign-in at the command line. */
  one_time_codes: {
    /** SHA-256 of the code. */
    hash: Buffer;
    /** `setup`, `password` or `sign_in`. */
    purpose: string;
    /** Null for `setup`. */
    account_id: string | null;
    /** What the one who uses it must prove to know (a sign-in's challenge), or null. */
    binding: string | null;
    created_at: number;
    expires_at: number;
  };
}
