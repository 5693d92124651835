/** DataFacts are what the settings and the data directory of a service show while it does not run. Times are UTC milliseconds. */
export interface DataFacts {
  /** What is wrong with the settings, a sentence each; then nothing else is known. */
  readonly settings: readonly { readonly message: string; readonly hint: string | null }[];
  readonly directory: {
    readonly path: string;
    readonly state: 'ok' | 'missing' | 'not_a_directory' | 'unwritable' | 'read_only';
    /** Whether another user owns it; null where there are no owners. */
    readonly foreign: { readonly owner: number; readonly user: number } | null;
    /** Whether everybody on the machine may read it. */
    readonly open: boolean;
    readonly freeBytes: number | null;
  } | null;
  /** Whether a service works on it now; null where there is no such directory. */
  readonly running: boolean | null;
  readonly database: {
    readonly name: string;
    readonly engine: 'sqlite' | 'postgres';
    readonly state: 'ok' | 'missing' | 'unreadable' | 'newer' | 'older';
    /** What keeps it from being read, or which migrations are due. */
    readonly detail: string | null;
    /** Why nothing can be written to it. */
    readonly readOnly: string | null;
    /** What its own check of its pages found; null for nothing. */
    readonly damage: string | null;
    readonly bytes: number | null;
    /** Where the directory says that another database belongs to it. */
    readonly other: string | null;
  } | null;
  readonly ledger: {
    /** `other`: not the key that signed the newest checkpoint. */
    readonly key: 'ok' | 'missing' | 'unreadable' | 'open' | 'other' | 'unused';
    readonly keyFile: string;
    /** The newest time that is recorded. */
    readonly recordedAt: number | null;
  } | null;
  /** Null where the spool cannot be looked at. */
  readonly spooledBytes: number | null;
  readonly dataKey: 'ok' | 'unset';
  readonly credentials: { readonly sealed: number; readonly unreadable: number };
  /** Those that are not valid; null where the database could not be asked for them. */
  readonly policies: readonly { readonly name: string; readonly fault: string }[] | null;
  readonly tls: { readonly fault: string | null; readonly endsAt: number | null } | null;
  /** Why the port cannot be listened on; null where it can. */
  readonly portFault: string | null;
  readonly proxyFault: string | null;
  readonly caFault: string | null;
}
