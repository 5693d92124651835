import type { Clock, Log } from '../base/index.ts';
import type { AuditEntry, AuditLog } from './audit.ts';
import type { Passwords } from './passwords.service.ts';
import type {
  AccountStore,
  CodeStore,
  FailureStore,
  SessionStore,
  Sweeper,
  Together,
  TokenStore,
} from './ports.ts';

/** AccountParts are what the services of accounts act through. */
export interface AccountParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly failures: FailureStore;
  readonly codes: CodeStore;
  readonly sweeper: Sweeper;
  readonly audit: AuditLog;
  readonly together: Together;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly log: Log;
}

/** Act is who does something and how, for the audit log. */
export interface Act {
  readonly by: AuditEntry['actor'];
  /** Method and path of the request, or the command. */
  readonly path: string | null;
}
