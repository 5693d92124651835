import type { Dispatcher } from 'undici';

/** Connection is how the API server is reached: where, by which connections, and as whom. */
export interface Connection {
  /** Address of the API server without a slash at its end. */
  readonly server: string;
  /** Where this process runs, or null outside of a pod. */
  readonly namespace: string | null;
  /** Connections that trust the cluster's authority; recreated when that changes. */
  dispatcher(): Promise<Dispatcher>;
  /** Headers that say who calls, read again when they change. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Tells that the server did not know the caller, so that the credential is read again at once. */
  refused(): void;
  close(): Promise<void>;
}
