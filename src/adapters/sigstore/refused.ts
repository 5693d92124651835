import type { Refusal } from '../../supply-chain/index.ts';

/**
 * Refused ends the look at one piece of evidence, from however deep in it the reason was found. It never leaves this
 * folder: `verifyEvidence` turns it into a value.
 */
export class Refused extends Error {
  readonly reason: Refusal;
  constructor(reason: Refusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
