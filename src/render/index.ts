/**
 * How results are written, whatever they are about. Text that is given is plain and may be hostile: every writer
 * here escapes for its own format.
 *
 * For pipelines, make `Finding`s once and write them three ways: `toSarif(findings, run)` for code scanning,
 * `toAnnotations(findings)` for GitHub Actions, `toJUnit({ name, cases: findingCases(findings, files) })` for test
 * reports. For people: `html` and `toPage` (a page in one file), charts as inline SVG, markdown that a forge shows,
 * and counts, shares and widths for a terminal.
 * It uses no other folder.
 */
export { toAnnotations } from './annotations.ts';
export { barList, dayColumns, mostOf, splitBar, type Bar } from './charts.ts';
export { counted, formatCount, formatShare } from './counts.ts';
export type { Finding } from './findings.ts';
export { fileUri } from './file-uri.ts';
export { escapeHtml, html, type Html } from './html.ts';
export { findingCases, toJUnit, type JUnitCase } from './junit.ts';
export { markdownCell, markdownCode, markdownTable, markdownText } from './markdown.ts';
export { toPage } from './page.ts';
export { loadPdf, type Pdf } from './pdf-load.ts';
export type { PdfCell } from './pdf-table.ts';
export { toSarif } from './sarif.ts';
export { cutEnd, cutMiddle, displayWidth, wrapWords } from './width.ts';
export { toYaml } from './yaml.ts';
