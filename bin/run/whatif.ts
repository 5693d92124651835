import type { WhatIfOptions } from '../commands/whatif.ts';
import type { GlobalOptions, Terminal } from '../ui/terminal.ts';
export async function runWhatIf(_p: string | undefined, _o: WhatIfOptions, _t: Terminal, _g: GlobalOptions): Promise<number> {
  return 0;
}
