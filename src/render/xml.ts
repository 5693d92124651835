import { printable } from '../base/index.ts';

/** escapeXml makes text safe in an element or a quoted attribute; what XML 1.0 cannot hold is shown or taken out. */
export function escapeXml(text: string): string {
  return printable(text.toWellFormed(), Infinity)
    .replace(/[\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** escapeXmlLines does the same for text of several lines of ours: a newline stays one. */
export function escapeXmlLines(text: string): string {
  return text.split('\n').map(escapeXml).join('\n');
}
