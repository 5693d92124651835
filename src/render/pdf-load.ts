import type * as pdf from './pdf.ts';

/** Pdf is what a PDF is written with: text in the standard fonts, tables and charts on numbered pages. */
export type Pdf = typeof pdf;

/** loadPdf loads it. */
export function loadPdf(): Promise<Pdf> {
  return import('./pdf.ts');
}
