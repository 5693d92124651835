import type { WhatIfOptions } from './options.ts';
import { UsageError } from '../terminal/usage.ts';

/** Where the ledger of a what-if comes from. */
type Origin = '--ledger' | '--database' | '--server';

/** Flags that belong to only one source of rows. */
const OWN: readonly (readonly [flag: string, origin: Origin, given: (options: WhatIfOptions) => boolean])[] =
  [
    ['--ledger', '--ledger', ({ ledger }) => ledger !== undefined],
    ['--database', '--database', ({ database }) => database !== undefined],
    ['--cold-image-policy', '--database', ({ coldImagePolicy }) => coldImagePolicy !== undefined],
    ['--server', '--server', ({ server }) => server !== undefined],
    ['--keep', '--server', ({ keep }) => keep === true],
    ['--token-stdin', '--server', ({ tokenStdin }) => tokenStdin === true],
    ['--ca', '--server', ({ ca }) => ca !== undefined],
  ];

/** checkFlags refuses flags that would do nothing with this ledger. Throws UsageError. */
export function checkFlags(options: WhatIfOptions, origin: Origin): void {
  for (const [flag, of, given] of OWN) {
    if (of === origin || !given(options)) continue;
    throw new UsageError(
      flag === of ? `${origin} and ${flag} exclude each other` : `${flag} has no effect with ${origin}`,
      flag === of ? 'Give the one ledger to replay' : `It belongs to ${of}`,
    );
  }
}

/** draftPath gives the path of the draft. Throws UsageError. */
export function draftPath(path: string | undefined, { server }: WhatIfOptions): string {
  if (path !== undefined) return path;
  throw new UsageError(
    'no policy given',
    typeof server === 'string'
      ? `--server took ${server} as its address: give POLICY first, or write --server=URL`
      : 'Run ipo whatif POLICY --ledger EXPORT; `ipo policy init` writes a starter policy',
  );
}
