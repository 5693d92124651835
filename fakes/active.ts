import { isRecord } from './json.ts';
import { markdownActive, referencesIn } from './markdown.ts';
import { wikiActive } from './wiki.ts';
import type { FakeKind } from './state.ts';

/** ActiveKind is what a piece of text does beyond being read. */
export type ActiveKind =
  | 'mention'
  | 'reference'
  | 'quick_action'
  | 'image'
  | 'html'
  | 'comment'
  | 'macro'
  | 'link'
  | 'embed';

/**
 * Active is a piece of a title or body that the tracker acts on: it notifies somebody, makes a cross reference, runs a
 * command, fetches a picture, hides text. Links and hidden comments are listed too; whether they are meant is for the
 * test to say.
 */
export interface Active {
  readonly kind: ActiveKind;
  readonly text: string;
}

/**
 * activeIn reads a title or a body as its tracker would and lists what is active in it. Where the trackers' own rules
 * are unclear it errs towards active, so that an empty list means something.
 */
export function activeIn(kind: FakeKind, part: 'title' | 'body', value: unknown): Active[] {
  if (part === 'title')
    return kind === 'gitlab' && typeof value === 'string' ? referencesIn(value, 'gitlab') : [];
  if (typeof value === 'string') {
    if (kind === 'jira-datacenter') return wikiActive(value);
    return markdownActive(value, kind === 'gitlab' ? 'gitlab' : 'github');
  }
  return isRecord(value) ? adfActive(value) : [];
}

const ADF_EMBEDS = new Set([
  'inlineCard',
  'blockCard',
  'embedCard',
  'media',
  'mediaSingle',
  'mediaGroup',
  'mediaInline',
  'extension',
  'inlineExtension',
  'bodiedExtension',
  'syncBlock',
  'bodiedSyncBlock',
]);

/** Text nodes of a structured document are never parsed, so only nodes and marks can be active. */
function adfActive(node: Readonly<Record<string, unknown>>): Active[] {
  const found: Active[] = [];
  const type = String(node['type']);
  if (type === 'mention') found.push({ kind: 'mention', text: JSON.stringify(node['attrs']) });
  if (ADF_EMBEDS.has(type)) found.push({ kind: 'embed', text: type });
  for (const mark of Array.isArray(node['marks']) ? node['marks'] : []) {
    if (isRecord(mark) && mark['type'] === 'link' && isRecord(mark['attrs'])) {
      found.push({ kind: 'link', text: String(mark['attrs']['href']) });
    }
  }
  for (const child of Array.isArray(node['content']) ? node['content'] : []) {
    if (isRecord(child)) found.push(...adfActive(child));
  }
  return found;
}
