import { cutLine } from './cut.ts';
import { separated, toLine } from './inert.ts';

/** toPlainTitle makes a title of one line, cut to `max` characters, for a tracker that acts on nothing in it. */
export function toPlainTitle(title: string, max: number): string {
  return cutLine(toLine(title), max) || 'Untitled';
}

/** toInertTitle does the same for a tracker that looks for mentions and references in titles. */
export function toInertTitle(title: string, max: number): string {
  return cutLine(separated(toLine(title)), max) || 'Untitled';
}
