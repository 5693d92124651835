/** VEX_STATUSES are the answers that a statement can give; only the first two can ever take a finding out. */
export const VEX_STATUSES = ['not_affected', 'fixed', 'affected', 'under_investigation'] as const;

/** VexStatus is what a statement says of a vulnerability in a product. */
export type VexStatus = (typeof VEX_STATUSES)[number];

/** isSuppressing tells whether a status can take a finding out of the count. */
export function isSuppressing(status: string): boolean {
  return status === 'not_affected' || status === 'fixed';
}

/** VexProduct is one thing that a statement is about. */
export interface VexProduct {
  /** Package URLs, image references and other identifiers, as written; each names the same thing. */
  readonly names: readonly string[];
  /** SHA-256 hashes of it, in lowercase hex. */
  readonly hashes: readonly string[];
  /** The parts of it that the statement is limited to, as package URLs or names; null for the product as a whole. */
  readonly parts: readonly string[] | null;
}

/** VexStatement is one answer about one vulnerability. */
export interface VexStatement {
  /** The name of the vulnerability and its aliases, each of which findings may use. */
  readonly ids: readonly string[];
  readonly status: VexStatus;
  /** Milliseconds; null where the document gives no time that can be read. */
  readonly at: number | null;
  /** Null where the document names none: it is then about what it is attached to. */
  readonly products: readonly VexProduct[] | null;
}

/** VEX_FORMATS are the formats that are read. */
const VEX_FORMATS = ['openvex', 'csaf', 'cyclonedx'] as const;

/** VexDocument is what a producer says, of whatever format. */
export interface VexDocument {
  readonly format: (typeof VEX_FORMATS)[number];
  readonly statements: readonly VexStatement[];
}

/** VexFault says why a document cannot be read, as a clause that follows its name. */
export interface VexFault {
  readonly fault: string;
}
