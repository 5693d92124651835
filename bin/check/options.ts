import type { ServiceFlags } from '../service/index.ts';

/** CheckOptions are the flags of `ipo check` as commander gives them. */
export interface CheckOptions extends ServiceFlags {
  readonly policy?: readonly string[];
  readonly manifest?: readonly string[];
  readonly ledger?: string;
  readonly trivy?: readonly string[];
  readonly kev?: string;
  readonly namespace: string;
  readonly asOf?: string;
  readonly coldImagePolicy?: 'AllowAndScan' | 'DenyUntilScanned';
  readonly enforce?: true;
  readonly strict?: true;
  readonly allowUndecided?: true;
  readonly byName?: true;
  readonly groups?: string;
  readonly signals?: string;
  readonly exposedBy?: string;
  readonly quota?: string;
  readonly platform?: string;
  readonly breakGlass?: string;
  readonly offline?: true;
  readonly registry: 'auto' | 'always' | 'never';
  readonly trustRoot?: string;
  readonly vex?: readonly string[];
  readonly insecureRegistry?: readonly string[];
  readonly registryCa?: string;
  readonly registryTimeout: string;
  readonly output?: readonly string[];
}
