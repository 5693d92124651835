import type { Bar, DayColumn } from './charts.ts';
import { counted, formatCount, formatShare } from './counts.ts';
import type { Sheet } from './pdf-sheet.ts';
import { INK } from './pdf-words.ts';

/** Figure is a number with what it counts. */
export interface Figure {
  readonly title: string;
  readonly count: number;
  readonly note: string;
  readonly tone: 'refused' | 'admitted' | 'same';
}

/** drawFigures sets large numbers side by side. */
export function drawFigures(sheet: Sheet, figures: readonly Figure[]): void {
  const { doc } = sheet;
  const height = 62;
  const gap = 12;
  sheet.room(height + gap);
  const { y } = sheet;
  const width = (sheet.width - gap * (figures.length - 1)) / figures.length;
  figures.forEach(({ title, count, note, tone }, i) => {
    const x = sheet.left + i * (width + gap);
    sheet.decoration(() => {
      doc.roundedRect(x, y, width, height, 5).lineWidth(0.7).stroke(INK.line);
      doc.rect(x, y + 8, 2.5, height - 16).fill(INK[tone]);
    });
    const inside = { width: width - 24 };
    sheet.line(title, x + 12, y + 9, { ...inside, size: 8.5, ink: 'soft' });
    const ink = count > 0 && tone !== 'same' ? tone : 'text';
    sheet.line(formatCount(count), x + 12, y + 21, { ...inside, size: 20, font: 'bold', ink });
    sheet.line(note, x + 12, y + 45, { ...inside, size: 8, ink: 'soft' });
  });
  sheet.y = y + height + 10;
}

const BAR = 24;
/** A chart of more bars goes over the page. */
const MOST_BARS = 20;

/** drawBars draws a bar for each line, its label and count above it. A full bar is `most` rows, `whole` is 100 %. */
export function drawBars(sheet: Sheet, bars: readonly Bar[], whole: number, most: number): void {
  const { doc, left, width } = sheet;
  sheet.room(BAR * Math.min(bars.length, MOST_BARS));
  for (const { label, note, count, tone } of bars) {
    sheet.room(BAR);
    const { y } = sheet;
    const figure = `${formatCount(count)}   ${formatShare(count, whole)}`;
    sheet.line(figure, left + width - 120, y, { width: 120, size: 8.5, align: 'right', ink: 'soft' });
    sheet.line(label, left, y, { width: width * 0.3, size: 8.5, font: 'bold' });
    if (note !== '') {
      const beside = Math.min(doc.widthOfString(sheet.fit(label, width * 0.3)), width * 0.3) + 8;
      sheet.line(note, left + beside, y, { width: width - 130 - beside, size: 8.5, ink: 'soft' });
    }
    sheet.decoration(() => {
      doc.rect(left, y + 12, width, 5).fill(INK.track);
      if (count > 0) doc.rect(left, y + 12, Math.max(1.5, (count / most) * width), 5).fill(INK[tone]);
    });
    sheet.y = y + BAR;
  }
}

const CHANGES = 84;
const TOTALS = 30;

/**
 * drawDays draws a timeline: for each day what went up (refused) above a line and what went down (allowed) below it, on one scale, and
 * under both the total.
 */
export function drawDays(
  sheet: Sheet,
  days: readonly DayColumn[],
  names: { readonly up: string; readonly down: string; readonly total: string },
): void {
  const { doc, left, width } = sheet;
  const mostUp = Math.max(0, ...days.map(({ up }) => up));
  const mostDown = Math.max(0, ...days.map(({ down }) => down));
  const mostTotal = Math.max(1, ...days.map(({ total }) => total));
  const changes = mostUp + mostDown > 0 ? CHANGES : 0;
  sheet.room(changes + TOTALS + 64);
  const peaks = [
    ...(mostUp > 0 ? [`${names.up}: at most ${counted(mostUp, 'row')} a day`] : []),
    ...(mostDown > 0 ? [`${names.down}: at most ${counted(mostDown, 'row')} a day`] : []),
  ];
  if (peaks.length > 0) {
    sheet.line(peaks.join('     '), left, sheet.y, { width, size: 8, ink: 'soft' });
    sheet.y += 15;
  }
  const top = sheet.y;
  const unit = CHANGES / Math.max(1, mostUp + mostDown);
  const zero = top + mostUp * unit;
  const floor = top + changes + (changes > 0 ? 20 : 12) + TOTALS;
  const band = width / Math.max(1, days.length);
  const thick = Math.min(band * 0.7, 22);
  const column = (x: number, y: number, tall: number, ink: keyof typeof INK): void => {
    if (tall > 0) sheet.decoration(() => doc.rect(x, y, thick, Math.max(1, tall)).fill(INK[ink]));
  };
  const every = Math.max(1, Math.ceil(days.length / 8));
  days.forEach(({ date, total, up, down }, i) => {
    const x = left + band * i + (band - thick) / 2;
    const tall = (total / mostTotal) * TOTALS;
    column(x, zero - up * unit, up * unit, 'refused');
    column(x, zero, down * unit, 'admitted');
    column(x, floor - tall, tall, 'same');
    if (i % every === 0) sheet.line(date.slice(5), x, floor + 5, { width: 40, size: 7.5, ink: 'soft' });
  });
  const axis = (y: number): void =>
    sheet.decoration(() =>
      doc
        .moveTo(left, y)
        .lineTo(left + width, y)
        .lineWidth(0.7)
        .stroke(INK.same),
    );
  if (changes > 0) axis(zero);
  axis(floor);
  const text = `${names.total}: at most ${formatCount(mostTotal)} a day`;
  sheet.line(text, left, floor - TOTALS - 12, { width, size: 8, ink: 'soft' });
  sheet.y = floor + 20;
}
