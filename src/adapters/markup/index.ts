/**
 * Texts of issues in the markup of a tracker: Markdown, Atlassian's documents, wiki markup. Here, and nowhere else, text that comes from
 * outside is made inert: it mentions nobody, refers to nothing, runs nothing and hides nothing.
 * It uses no other adapter.
 */
export { adfSize, markerInAdf, toAdf, type AdfDocument, type AdfNode } from './adf.ts';
export { cutLine, cutTo } from './cut.ts';
export { markdownSize, markerIn, toMarkdown } from './markdown.ts';
export { toInertTitle, toPlainTitle } from './title.ts';
export { markerInWiki, toWiki, wikiSize } from './wiki.ts';
