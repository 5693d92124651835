/**
 * The answer of a what-if in every form but the terminal's and JSON: a pull-request comment, a page, and what
 * pipelines read. Beside them the sentences that all forms share.
 */
export { changeLines, fieldText } from './change-lines.ts';
export { countOfCheck, flagOf, type FailedCheck } from './context.ts';
export { daysOf } from './days.ts';
export { toFindings } from './findings.ts';
export { changesNothing, headlineOf, headlineText, periodText, reachText, shortTime } from './headline.ts';
export { toHtml } from './html.ts';
export { fieldBehind } from './label-to-field.ts';
export { labelHelp, labelTitle } from './label-help.ts';
export { MARKER, MOST_MARKDOWN, toMarkdown } from './markdown.ts';
export { contextText, editText, notEvaluatedText, originOf, sourceText } from './origin.ts';
export { toAnnotations, toJUnit, toSarif } from './pipeline.ts';
export {
  imageText,
  reasonsOf,
  shortestImageWidth,
  shortImageText,
  workloadText,
  type Reason,
} from './reasons.ts';
export { toYaml } from '../../render/index.ts';
