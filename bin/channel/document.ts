import { MAX_CHANNEL_BYTES, parseChannelText } from '../../src/channels/index.ts';
import { clean } from '../terminal/clean.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

/** Document is a channel as a person writes it. */
export type Document = Readonly<Record<string, unknown>>;

/** readDocument reads a channel from a file of YAML or JSON; `-` is stdin. Throws UsageError, ChannelError and FileError. */
export async function readDocument(file: string, terminal: Terminal): Promise<Document> {
  const value = parseChannelText(
    await openParts(terminal).readText(file, MAX_CHANNEL_BYTES),
    file === '-' ? 'stdin' : file,
  );
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Document;
  throw new UsageError(
    `${clean(file)} does not contain a channel`,
    'A channel is a mapping of fields, as ipo channel show --document prints it',
  );
}

/** commaParts reads a list that a person typed with commas; blanks around its parts are left out, and so are empty ones. */
export function commaParts(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
