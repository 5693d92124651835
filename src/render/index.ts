/**
 * How results are written, whatever they are about. Text that is given is plain and may be hostile: every writer
 * here escapes for its own format.
 *
 * For pipelines, make `Finding`s once and write them three ways: `toSarif(findings, run)` for code scanning,
 * `toAnnotations(findings)` for GitHub Actions, `toJUnit({ name, cases: findingCases(findings, files) })` for test
 * reports. For people: `html` and `toPage` (a page in one file), charts as inline SVG, markdown that a forge shows,
 * and counts, shares and widths for a terminal.
 */
export { toAnnotations } from './annotations.ts';
export { barList, dayColumns, splitBar, type Bar, type DayColumn, type Slice, type Tone } from './charts.ts';
export { counted, formatCount, formatShare } from './counts.ts';
export { FINDING_LEVELS, type Finding, type FindingLevel } from './findings.ts';
export { fileUri } from './file-uri.ts';
export { escapeHtml, html, type Html, type HtmlPart } from './html.ts';
export { findingCases, toJUnit, type JUnitCase, type JUnitSuite } from './junit.ts';
export { markdownCell, markdownCode, markdownTable, markdownText, type MarkdownColumn } from './markdown.ts';
export { toPage, type Page } from './page.ts';
export { toSarif, type SarifRun } from './sarif.ts';
export { cutEnd, cutMiddle, displayWidth, wrapWords } from './width.ts';
export { escapeXml } from './xml.ts';
