import type { ServiceClient } from '../../src/app/index.ts';
import { IpoError } from '../../src/base/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';

/** WhatIfBody is what a service is asked. */
export interface WhatIfBody {
  readonly policy: unknown;
  readonly days?: number;
  readonly limit?: number;
  readonly source?: string | undefined;
  readonly as_of?: string | undefined;
  readonly keep: boolean;
}

/** askWhatIf lets a service replay a draft. Gives the answer with its bytes. Throws ServiceError. */
export async function askWhatIf(
  service: ServiceClient,
  body: WhatIfBody,
): Promise<{ readonly result: WhatIfResult; readonly json: string }> {
  const { body: result, text } = await service.json('POST /policies/whatif', { body });
  return { result: checkResult(result, service.server), json: text };
}

const COUNTS = ['evaluated', 'unchanged', 'would_deny', 'would_allow', 'distinct_images', 'days', 'limit'];
const LISTS = ['samples', 'groups', 'by_day', 'notes', 'unscanned'];
const PARTS = [
  'policy',
  'context',
  'baseline',
  'not_evaluated',
  'would_deny_by_reason',
  'would_allow_by_reason',
];

/** checkResult holds that what a server gave is the answer of a what-if: something else may stand in its place. */
export function checkResult(value: unknown, server: string): WhatIfResult {
  const answer = (value ?? {}) as Readonly<Record<string, unknown>>;
  const whole =
    COUNTS.every((key) => Number.isSafeInteger(answer[key])) &&
    LISTS.every((key) => Array.isArray(answer[key])) &&
    PARTS.every((key) => answer[key] !== null && typeof answer[key] === 'object') &&
    typeof answer['as_of'] === 'string';
  if (whole) return value as WhatIfResult;
  throw new IpoError('network', `${server} did not answer with a what-if`, {
    hint: 'Check the address, and that the service has this version',
  });
}
