/**
 * Texts in the markup of a tracker (Markdown, Atlassian's documents, wiki markup), a chat or a mail. Here, and nowhere else, text that comes from
 * outside is made inert: it mentions nobody, refers to nothing, runs nothing and hides nothing.
 * It uses no other adapter.
 */
export { adfSize, markerInAdf, toAdf, type AdfDocument } from './adf.ts';
export { cutLine, cutTo } from './cut.ts';
export { toMail } from './mail.ts';
export { toSlack } from './slack.ts';
export { toTeams } from './teams.ts';
export { markdownSize, markerIn, toMarkdown } from './markdown.ts';
export { toInertTitle, toPlainTitle } from './title.ts';
export { markerInWiki, toWiki, wikiSize } from './wiki.ts';
