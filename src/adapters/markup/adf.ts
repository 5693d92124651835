import type { Block, Inline } from '../../trackers/index.ts';
import { cutTo, SOME_MARKER } from './cut.ts';
import { spaced, toHref, toLine, toLines } from './inert.ts';

/** AdfNode is a node of Atlassian's document format. */
export interface AdfNode {
  readonly type: string;
  readonly text?: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
  readonly content?: readonly AdfNode[];
}

/** AdfDocument is a whole document. */
export interface AdfDocument {
  readonly version: 1;
  readonly type: 'doc';
  readonly content: readonly AdfNode[];
}

/**
 * toAdf renders a text as a document of nodes, cut so that its JSON has at most `max` bytes. Jira never parses the text of a node,
 * so it is inert as it is. With a marker, the last paragraph is the line that markerInAdf finds.
 */
export function toAdf(blocks: readonly Block[], marker: string | null, max: number): AdfDocument {
  return cutTo(blocks, (kept) => documentOf(kept, marker), bytesOf, max);
}

/** adfSize is the size of a whole text with a marker, in bytes of JSON: the strictest of the ways in which Jira is said to count. */
export function adfSize(blocks: readonly Block[]): number {
  return bytesOf(documentOf(blocks, SOME_MARKER));
}

function documentOf(blocks: readonly Block[], marker: string | null): AdfDocument {
  const tail = marker === null ? [] : [paragraph([{ type: 'text', text: `Reference: ${marker}` }])];
  return { version: 1, type: 'doc', content: [...blocks.flatMap(nodesOf), ...tail] };
}

function bytesOf(document: AdfDocument): number {
  return Buffer.byteLength(JSON.stringify(document), 'utf8');
}

/** markerInAdf finds the marker in the last paragraph of a document, whatever stands in it. */
export function markerInAdf(document: unknown): string | null {
  const content = contentOf(document);
  const words = contentOf(content.at(-1)).map((node) => (node as { text?: unknown } | null)?.text);
  return (
    /^Reference: (ipo-1-[a-z2-7]{26})$/.exec(
      words.map((word) => (typeof word === 'string' ? word : '')).join(''),
    )?.[1] ?? null
  );
}

function contentOf(node: unknown): readonly unknown[] {
  const content = (node as { content?: unknown } | null | undefined)?.content;
  return Array.isArray(content) ? content : [];
}

function nodesOf(block: Block): readonly AdfNode[] {
  switch (block.kind) {
    case 'heading':
      return [{ type: 'heading', attrs: { level: block.level }, content: inlines(block.content) }];
    case 'rest':
      return [];
    case 'paragraph':
      return [paragraph(inlines(block.content))];
    case 'list':
      return block.items.length === 0
        ? []
        : [
            {
              type: 'bulletList',
              content: block.items.map((item) => ({ type: 'listItem', content: [paragraph(inlines(item))] })),
            },
          ];
    case 'table':
      return [
        {
          type: 'table',
          content: [row('tableHeader', block.header), ...block.rows.map((cells) => row('tableCell', cells))],
        },
      ];
    case 'code': {
      const text = toLines(block.text).join('\n');
      return [{ type: 'codeBlock', content: text === '' ? [] : [{ type: 'text', text }] }];
    }
  }
}

function row(type: 'tableHeader' | 'tableCell', cells: readonly (readonly Inline[])[]): AdfNode {
  return {
    type: 'tableRow',
    content: cells.map((cell) => ({ type, content: [paragraph(inlines(cell))] })),
  };
}

function paragraph(content: readonly AdfNode[]): AdfNode {
  return { type: 'paragraph', content };
}

function inlines(content: readonly Inline[]): AdfNode[] {
  return content.flatMap((inline): AdfNode[] => {
    const text = inline.kind === 'text' ? spaced(inline.text) : toLine(inline.text);
    if (text === '') return []; // Jira refuses an empty text
    if (inline.kind === 'code') return [{ type: 'text', text, marks: [{ type: 'code' }] }];
    const href = inline.kind === 'link' ? toHref(inline.href) : null;
    return [
      href === null
        ? { type: 'text', text }
        : { type: 'text', text, marks: [{ type: 'link', attrs: { href } }] },
    ];
  });
}
