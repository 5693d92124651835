import type { WhatIfOptions } from './index.ts';
import { UsageError } from '../terminal/usage.ts';

/** Where the ledger of a what-if comes from. */
type Origin = '--ledger' | '--database' | '--server';

/** Which flags belong to which origin alone. */
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
      flag === of ? `${origin} and ${flag} exclude each other` : `${flag} has no meaning with ${origin}`,
      flag === of ? 'Name the one ledger that is to be replayed' : `It belongs to ${of}`,
    );
  }
}

/** draftPath gives the path of the draft. Throws UsageError. */
export function draftPath(path: string | undefined, { server }: WhatIfOptions): string {
  if (path !== undefined) return path;
  throw new UsageError(
    'no policy is given',
    typeof server === 'string'
      ? `--server has taken ${server} for its address: name POLICY first, or write --server=URL`
      : 'Call ipo whatif POLICY --ledger EXPORT; `ipo policy init` writes a first policy',
  );
}
