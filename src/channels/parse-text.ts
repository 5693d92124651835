import { LineCounter, parseDocument } from 'yaml';
import { firstFault } from '../syntax/index.ts';
import { ChannelError } from './channel-error.ts';

/** MAX_CHANNEL_BYTES is how long the text of a channel may be. */
export const MAX_CHANNEL_BYTES = 65_536;

/** A channel is a list of fields with lists of texts in them; nothing of it stands deeper. */
const MAX_DEPTH = 8;

/**
 * parseChannelText reads a channel as YAML or JSON: one document, each field once, nothing referred to from elsewhere. The code that writes
 * the channel checks its fields. Throws ChannelError `invalid_request` with the place.
 */
export function parseChannelText(text: string, file: string): unknown {
  if (text.length > MAX_CHANNEL_BYTES) throw refused(`has more than ${MAX_CHANNEL_BYTES} characters`, file);
  if (isDeep(text)) throw refused('goes deeper than a channel does', file);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    schema: 'core',
    merge: false,
  });
  if (document.errors.length > 0) {
    // A channel may have an address that is a secret, so no line is quoted.
    const { message, hint, line, column } = firstFault(text, lines, document, false);
    throw new ChannelError('invalid_request', `the channel cannot be read: ${message}`, {
      place: { file, line, column },
      hint,
    });
  }
  try {
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    throw refused('has an alias, which a channel may not have', file);
  }
}

/** By brackets and by lists in lists, before anything recurses into them. */
function isDeep(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === '[' || character === '{') open += 1;
    else if ((character === ']' || character === '}') && open > 0) open -= 1;
    if (open > MAX_DEPTH) return true;
  }
  return text
    .split('\n')
    .some(
      (line) =>
        (/^[\s?:-]*/.exec(line)?.[0].replaceAll(/\s/g, '').length ?? 0) > MAX_DEPTH || /^ {64}/.test(line),
    );
}

function refused(what: string, file: string, line?: number, column?: number): ChannelError {
  return new ChannelError('invalid_request', `the channel ${what}`, { place: { file, line, column } });
}
