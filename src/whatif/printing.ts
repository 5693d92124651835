import type * as printing from './report/pdf.ts';

/** Printing makes PDFs of kept runs. */
export type Printing = typeof printing;

/** loadPrinting loads it; nothing but a download of a PDF needs it. */
export function loadPrinting(): Promise<Printing> {
  return import('./report/pdf.ts');
}
