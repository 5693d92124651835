import type { ChannelBody, WrittenChannelBody } from '../../src/api/contract/channels.ts';
import { clean } from '../terminal/clean.ts';

/** faultsOf says what keeps a channel from being used, a sentence each. */
export function faultsOf({ secrets, fault }: Pick<ChannelBody, 'secrets' | 'fault'>): readonly string[] {
  return [
    ...secrets.flatMap(({ field, state }) =>
      state === 'unreadable' ? [`its ${field} cannot be read; enter it again with ipo channel edit`] : [],
    ),
    ...(fault === null ? [] : [`it cannot be used: ${clean(fault)}`]),
  ];
}

/** warningsOf words the warnings of a written channel; a service of an earlier release sends none. */
export function warningsOf({
  warnings = [],
}: Partial<Pick<WrittenChannelBody, 'warnings'>>): readonly string[] {
  return warnings.map((line) => `warning: ${clean(line, 1000)}`);
}
