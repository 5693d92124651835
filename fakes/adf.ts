import type { Active } from './active.ts';
import { isRecord } from './json.ts';

/**
 * What a node of a structured document (ADF, version 1) may hold. This is the part of Atlassian's schema that issues
 * and comments of a service need; a node outside it is refused, so that what passes here passes there.
 */
interface Rule {
  readonly content?: readonly string[];
  /** min is how many children there must be; without it `content` may be left out. */
  readonly min?: number;
  readonly attrs?: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly needs?: readonly string[];
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const oneOf =
  (...values: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === 'string' && values.includes(value);
const isLevel = (value: unknown): boolean => typeof value === 'number' && value >= 1 && value <= 6;
const LOCAL = { localId: isText };

const INLINE = ['text', 'hardBreak', 'emoji', 'mention', 'date', 'status', 'inlineCard'];
const LISTS = ['bulletList', 'orderedList'];
const CELL = ['paragraph', 'panel', 'blockquote', ...LISTS, 'rule', 'heading', 'codeBlock'];
const CELL_ATTRS = {
  ...LOCAL,
  colspan: isNumber,
  rowspan: isNumber,
  background: isText,
  colwidth: (value: unknown): boolean => Array.isArray(value) && value.every(isNumber),
};
const BLOCKS = [
  'paragraph',
  'heading',
  ...LISTS,
  'codeBlock',
  'rule',
  'panel',
  'blockquote',
  'table',
  'expand',
];

const NODES: Readonly<Record<string, Rule>> = {
  paragraph: { content: INLINE, attrs: LOCAL },
  heading: { content: INLINE, attrs: { ...LOCAL, level: isLevel }, needs: ['level'] },
  bulletList: { content: ['listItem'], min: 1, attrs: LOCAL },
  orderedList: { content: ['listItem'], min: 1, attrs: { ...LOCAL, order: isNumber } },
  listItem: { content: ['paragraph', ...LISTS, 'codeBlock'], min: 1, attrs: LOCAL },
  codeBlock: { content: ['text'], attrs: { ...LOCAL, language: isText, uniqueId: isText, wrap: isFlag } },
  rule: { attrs: LOCAL },
  blockquote: { content: ['paragraph', ...LISTS, 'codeBlock'], min: 1, attrs: LOCAL },
  panel: {
    content: ['paragraph', 'heading', ...LISTS, 'codeBlock', 'rule'],
    min: 1,
    attrs: { ...LOCAL, panelType: oneOf('info', 'note', 'tip', 'warning', 'error', 'success', 'custom') },
    needs: ['panelType'],
  },
  expand: {
    content: [...BLOCKS].filter((name) => name !== 'expand'),
    min: 1,
    attrs: { ...LOCAL, title: isText },
  },
  table: {
    content: ['tableRow'],
    min: 1,
    attrs: {
      localId: (value) => isText(value) && value !== '',
      isNumberColumnEnabled: isFlag,
      layout: oneOf('wide', 'full-width', 'center', 'align-end', 'align-start', 'default'),
      displayMode: oneOf('default', 'fixed'),
      width: isNumber,
    },
  },
  tableRow: { content: ['tableHeader', 'tableCell'], min: 0, attrs: LOCAL },
  tableHeader: { content: CELL, min: 1, attrs: CELL_ATTRS },
  tableCell: { content: CELL, min: 1, attrs: CELL_ATTRS },
  hardBreak: { attrs: { ...LOCAL, text: oneOf('\n') } },
  emoji: { attrs: { ...LOCAL, shortName: isText, id: isText, text: isText }, needs: ['shortName'] },
  mention: { attrs: { ...LOCAL, id: isText, text: isText, accessLevel: isText }, needs: ['id'] },
  date: { attrs: { ...LOCAL, timestamp: (value) => isText(value) && value !== '' }, needs: ['timestamp'] },
  status: {
    attrs: {
      ...LOCAL,
      text: (value) => isText(value) && value !== '',
      color: oneOf('neutral', 'purple', 'blue', 'red', 'yellow', 'green'),
      style: isText,
    },
    needs: ['text', 'color'],
  },
  inlineCard: { attrs: { ...LOCAL, url: isText }, needs: ['url'] },
};

const PLAIN_MARKS = ['em', 'strong', 'strike', 'underline', 'link'];
const LINK_ATTRS = ['href', 'title', 'id', 'collection', 'occurrenceKey'];

/** adfProblem says where a structured document breaks its schema, or null where it does not. */
export function adfProblem(value: unknown): string | null {
  if (!isRecord(value)) return 'the document is not an object';
  const extra = Object.keys(value).find((key) => !['version', 'type', 'content'].includes(key));
  if (extra !== undefined) return `doc has no member ${extra}`;
  if (value['type'] !== 'doc' || value['version'] !== 1) return 'the document is not a doc of version 1';
  return children('doc', value['content'], { content: BLOCKS, min: 0 });
}

function children(at: string, value: unknown, rule: Rule): string | null {
  if (value === undefined && rule.min === undefined) return null;
  if (rule.content === undefined) return value === undefined ? null : `${at} holds nothing`;
  if (!Array.isArray(value)) return `${at} needs content`;
  if (value.length < (rule.min ?? 0)) return `${at} must not be empty`;
  for (const [index, child] of value.entries()) {
    const problem = node(`${at}[${index}]`, child, rule.content, at.endsWith('codeBlock'));
    if (problem !== null) return problem;
  }
  return null;
}

function node(at: string, value: unknown, allowed: readonly string[], plain: boolean): string | null {
  if (!isRecord(value)) return `${at} is not an object`;
  const type = value['type'];
  if (typeof type !== 'string' || !allowed.includes(type)) return `${at} must not be ${JSON.stringify(type)}`;
  const here = `${at}.${type}`;
  if (type === 'text') return text(here, value, plain);
  const extra = Object.keys(value).find((key) => !['type', 'attrs', 'content'].includes(key));
  if (extra !== undefined) return `${here} has no member ${extra}`;
  const rule = NODES[type] ?? {};
  const attrs = value['attrs'] === undefined ? {} : value['attrs'];
  if (!isRecord(attrs)) return `${here}.attrs is not an object`;
  for (const [name, attr] of Object.entries(attrs)) {
    if (rule.attrs?.[name]?.(attr) !== true)
      return `${here}.attrs.${name} must not be ${JSON.stringify(attr)}`;
  }
  const missing = rule.needs?.find((name) => !(name in attrs));
  if (missing !== undefined) return `${here}.attrs needs ${missing}`;
  return children(here, value['content'], rule);
}

function text(at: string, value: Readonly<Record<string, unknown>>, plain: boolean): string | null {
  const extra = Object.keys(value).find((key) => !['type', 'text', 'marks'].includes(key));
  if (extra !== undefined) return `${at} has no member ${extra}`;
  if (typeof value['text'] !== 'string' || value['text'] === '')
    return `${at} needs a text that is not empty`;
  const marks = value['marks'] === undefined ? [] : value['marks'];
  if (!Array.isArray(marks)) return `${at}.marks is not a list`;
  if (plain && marks.length > 0) return `${at} must have no marks inside a code block`;
  const names = marks.map((mark: unknown) => (isRecord(mark) ? mark['type'] : undefined));
  for (const [index, mark] of marks.entries()) {
    const name = names[index];
    if (!isRecord(mark) || typeof name !== 'string') return `${at}.marks[${index}] is not a mark`;
    if (name !== 'code' && !PLAIN_MARKS.includes(name)) return `${at}.marks must not have ${name}`;
    const keys = Object.keys(mark).filter((key) => key !== 'type');
    if (name !== 'link') {
      if (keys.length > 0) return `${at}.marks.${name} has no member ${keys[0]}`;
      continue;
    }
    const attrs = mark['attrs'];
    if (!isRecord(attrs) || typeof attrs['href'] !== 'string') return `${at}.marks.link needs an address`;
    if (keys.some((key) => key !== 'attrs')) return `${at}.marks.link has only attrs`;
    const odd = Object.entries(attrs).find(([key, attr]) => !LINK_ATTRS.includes(key) || !isText(attr));
    if (odd !== undefined) return `${at}.marks.link must not have ${odd[0]}`;
  }
  if (names.includes('code') && names.some((name) => name !== 'code' && name !== 'link')) {
    return `${at}: code goes with no mark but a link`;
  }
  return null;
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

/** adfActive lists what is active in a structured document. Its text nodes are never parsed, so only nodes and marks can be active. */
export function adfActive(node: Readonly<Record<string, unknown>>): Active[] {
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
