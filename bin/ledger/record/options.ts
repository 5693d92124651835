/** LedgerRecordOptions are the flags of `ipo ledger record`. */
export interface LedgerRecordOptions {
  readonly audit?: readonly string[];
  readonly auditPolicy?: true;
  readonly pods?: readonly string[];
  readonly services?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly trivy?: readonly string[];
  readonly kev?: string;
  readonly registry?: true;
  readonly trustRoot?: string;
  readonly insecureRegistry?: readonly string[];
  readonly registryCa?: string;
  /** 30 s without it. */
  readonly registryTimeout?: string;
  readonly cluster?: string;
  readonly coldImagePolicy: 'AllowAndScan' | 'DenyUntilScanned';
  readonly force?: true;
  readonly output: readonly string[];
}
