import { IpoError } from '../../src/base/index.ts';
import {
  CHANNEL_EVENTS,
  CHANNEL_KINDS,
  MAX_CHANNEL_BYTES,
  parseChannelText,
} from '../../src/channels/index.ts';
import { oneOf } from '../terminal/choice.ts';
import { clean } from '../terminal/clean.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

/** Document is a channel as a person writes it. */
export type Document = Readonly<Record<string, unknown>>;

/** readDocument reads a channel from a file of YAML or JSON; `-` is stdin. Throws UsageError, ChannelError and FileError. */
export async function readDocument(file: string, terminal: Terminal): Promise<Document> {
  const name = file === '-' ? 'stdin' : file;
  const text = await openParts(terminal).readText(file, MAX_CHANNEL_BYTES);
  const value = parseChannelText(text, name);
  refuseOther(value, text, name);
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Document;
  throw new UsageError(
    `${clean(file)} does not contain a channel`,
    'A channel is a mapping of fields, as ipo channel show --document prints it',
  );
}

/** Another document of ours says itself what it is; of any other, nothing is repeated, since it may hold a secret. */
function refuseOther(value: unknown, text: string, file: string): void {
  if (value === null || typeof value !== 'object' || !('apiVersion' in value) || !('kind' in value)) return;
  const { kind } = value;
  if (typeof kind !== 'string' || !/^[A-Z][A-Za-z]{1,60}$/.test(kind)) return;
  const line = text.split('\n').findIndex((one) => /^\s*"?kind"?\s*:/.test(one)) + 1;
  throw new IpoError('usage', `${kind} is not a kind of channel; the kinds are ${CHANNEL_KINDS.join(', ')}`, {
    place: line === 0 ? { file } : { file, line },
    hint: 'A channel is a mapping of fields, as ipo channel show --document prints it',
  });
}

/** checkEvents refuses an event that there is not. Throws ChoiceError, which names the flag. */
export function checkEvents(flag: string, events: readonly string[] = []): void {
  for (const event of events.flatMap(commaParts)) oneOf(flag, event, CHANNEL_EVENTS);
}

/** commaParts reads a list that a person typed with commas; blanks around its parts are left out, and so are empty ones. */
export function commaParts(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
