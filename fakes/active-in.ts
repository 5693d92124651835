import type { Active } from './active.ts';
import { adfActive } from './adf.ts';
import { isRecord } from './json.ts';
import { markdownActive, referencesIn } from './markdown.ts';
import { wikiActive } from './wiki.ts';
import type { FakeKind } from './state.ts';

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
