import type { Clock, Log } from '../base/index.ts';
import type { AuditLog } from './audit.ts';
import type { Passwords } from './passwords.service.ts';
import type {
  AccountStore,
  CodeStore,
  Erasure,
  FailureStore,
  SessionStore,
  Sweeper,
  Together,
  TokenStore,
} from './ports.ts';
import type { Principal } from './principal.ts';

/** AccountParts are what the services of accounts act through. */
export interface AccountParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly failures: FailureStore;
  readonly codes: CodeStore;
  readonly sweeper: Sweeper;
  readonly erasure: Erasure;
  readonly audit: AuditLog;
  readonly together: Together;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly log: Log;
}

/** Act is who does something and how, for the audit log; `by` is null for the command line on the server itself. */
export interface Act {
  readonly by: Principal | null;
  /** Method and path of the request, or the command. */
  readonly path: string | null;
}
