import type { ServiceFlags } from '../service/index.ts';

/** DoctorOptions are the flags of `ipo doctor`. */
export interface DoctorOptions extends ServiceFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly data?: string;
  readonly config?: string;
  readonly for?: string;
  readonly strict?: true;
  readonly all?: true;
  readonly bundle?: string;
  readonly force?: true;
  readonly output: readonly string[];
}
