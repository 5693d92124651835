/** What a PDF is written with; loaded only by `loadPdf`, since nothing else needs its library. */
export { drawBars, drawDays, drawFigures, type Figure } from './pdf-charts.ts';
export { drawQr } from './pdf-qr.ts';
export { Sheet, type Attachment, type SheetOptions } from './pdf-sheet.ts';
export { drawTable, type PdfCell, type PdfColumn } from './pdf-table.ts';
export { pdfText } from './pdf-text.ts';
export type { Ink, Piece } from './pdf-words.ts';
