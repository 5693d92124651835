/**
 * The answer of a what-if in every form but the terminal's and JSON: a pull-request comment, a page, and what
 * pipelines read. Beside them the sentences that all forms share.
 */
export { changeLines, fieldText, type ChangeLine } from './change-lines.ts';
export { countOfCheck, flagOf, type FailedCheck, type ReportContext } from './context.ts';
export { daysOf } from './days.ts';
export { toFindings } from './findings.ts';
export {
  changesNothing,
  headlineOf,
  headlineText,
  periodText,
  reachText,
  shortTime,
  type HeadlinePart,
} from './headline.ts';
export { toHtml } from './html.ts';
export { fieldBehind, type FieldBehind } from './label-to-field.ts';
export { labelHelp, labelTitle } from './label-help.ts';
export { MARKER, MOST_MARKDOWN, toMarkdown } from './markdown.ts';
export { contextText, editText, notEvaluatedText, originOf, sourceText, type Point } from './origin.ts';
export { toAnnotations, toJUnit, toSarif } from './pipeline.ts';
export {
  imageText,
  reasonsOf,
  shortestImageWidth,
  shortImageText,
  workloadText,
  type Change,
  type Reason,
} from './reasons.ts';
export { toYaml } from '../../render/index.ts';
