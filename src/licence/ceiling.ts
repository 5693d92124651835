/** Ceiling is what a licence certificate allows; null for as many as one likes. */
export interface Ceiling {
  /** Ready nodes of the cluster. */
  readonly nodes: number | null;
  /** Distinct image names admitted in a month. */
  readonly imageNames: number | null;
}

/** Ceilings is what the active certificate allows. */
export interface Ceilings {
  /** Rejects when it cannot be read; then what was known before stands. */
  current(): Promise<Ceiling>;
}

/** NO_CEILING is what is in effect without a certificate, which brings ceilings and nothing else. */
export const NO_CEILING: Ceiling = { nodes: null, imageNames: null };

/** withoutCertificate is an installation that was never activated. */
export const withoutCertificate: Ceilings = { current: async () => NO_CEILING };
