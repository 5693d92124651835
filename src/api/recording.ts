import type { AuditAction, AuditLog, Principal } from '../accounts/index.ts';

/** RecordedCall is what an entry of the audit log takes from a call that somebody signed in made. */
export interface RecordedCall {
  readonly principal: Principal | null;
  readonly path: string;
}

/** openRecording gives what records acts of a call's account. */
export function openRecording(audit: AuditLog) {
  return (
    { principal, path }: RecordedCall,
    action: AuditAction,
    target: string,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const { accountId, name } = principal as Principal;
    return audit.record({ actor: { accountId, name }, action, target, path, detail });
  };
}
