/**
 * Texts in the markup of a tracker (Markdown, Atlassian's documents, wiki markup), a chat or a mail. Here, and nowhere else, text that comes from
 * outside is made inert: it mentions nobody, refers to nothing, runs nothing and hides nothing.
 * It uses no other adapter.
 */
export { adfSize, markerInAdf, toAdf, type AdfDocument, type AdfNode } from './adf.ts';
export { cutLine, cutTo } from './cut.ts';
export { toMail, type Mail } from './mail.ts';
export { toSlack, type SlackBlock, type SlackMessage, type SlackText } from './slack.ts';
export { toTeams, type TeamsMessage } from './teams.ts';
export { markdownSize, markerIn, toMarkdown } from './markdown.ts';
export { toInertTitle, toPlainTitle } from './title.ts';
export { markerInWiki, toWiki, wikiSize } from './wiki.ts';
