import type { ServiceFlags } from '../../service/index.ts';

/** ChannelSetupOptions are the flags of `ipo channel setup`; each is an answer that is not asked for then. */
export interface ChannelSetupOptions extends ServiceFlags {
  readonly name?: string;
  readonly url?: string;
  readonly repo?: string;
  readonly project?: string;
  readonly email?: string;
  readonly host?: string;
  readonly port?: string;
  readonly security?: string;
  readonly username?: string;
  readonly from?: string;
  readonly to?: readonly string[];
  readonly check: boolean;
  readonly event?: readonly string[];
  readonly issueType?: string;
  readonly exampleIssue?: string;
  readonly doneTransition?: string;
  readonly label?: readonly string[];
  readonly allowedTarget?: readonly string[];
  readonly dailyCap?: string;
  readonly firstRunSummary: boolean;
  readonly gateway: string;
  readonly file?: string;
  readonly disabled?: true;
  readonly credentialStdin?: true;
  readonly save?: true;
  readonly print?: true;
  readonly output: readonly string[];
}
