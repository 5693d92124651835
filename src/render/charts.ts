import { counted, formatCount, formatShare } from './counts.ts';
import { html, type Html } from './html.ts';

/** TONES are what a colour stands for in a chart. */
export type Tone = 'refused' | 'admitted' | 'same' | 'accent';

/** Slice is a part of a whole. */
export interface Slice {
  readonly label: string;
  readonly count: number;
  readonly tone: Tone;
}

/** Bar is a line of a list of bars. */
export interface Bar extends Slice {
  /** A second, quieter text beside the label; empty for none. */
  readonly note: string;
}

/** mostOf is the largest count of a list, at least 1: the full length of a bar of it. */
export function mostOf(bars: readonly Pick<Bar, 'count'>[]): number {
  return Math.max(1, ...bars.map(({ count }) => count));
}

/** DayColumn is one day of a timeline: what went up and down, and out of how much. */
export interface DayColumn {
  /** `2026-11-01`. */
  readonly date: string;
  readonly total: number;
  readonly up: number;
  readonly down: number;
}

/** A part that is there is seen, however small. */
const LEAST_SHARE = 0.6;

const percent = (value: number): string => `${Number(value.toFixed(3))}%`;

/** splitBar draws one bar that is cut into the parts of a whole, with a legend. `id` must be unique on the page. */
export function splitBar(id: string, title: string, slices: readonly Slice[]): Html {
  const whole = slices.reduce((sum, { count }) => sum + count, 0);
  const shares = slices.map(({ count }) => (count === 0 ? 0 : Math.max(LEAST_SHARE, (count / whole) * 100)));
  const sum = shares.reduce((a, b) => a + b, 0) || 1;
  const description = slices
    .map(({ label, count }) => `${label}: ${formatCount(count)}, ${formatShare(count, whole)}`)
    .join('; ');
  let from = 0;
  const rects = slices.map(({ label, count, tone }, i) => {
    const width = ((shares[i] ?? 0) / sum) * 100;
    const x = from;
    from += width;
    if (width === 0) return null;
    return html`<rect class="${tone}" x="${percent(x)}" y="0" width="${percent(width)}" height="28"
      ><title>${label}: ${formatCount(count)}</title></rect
    >`;
  });
  return html`<figure class="split">
    <svg role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="28">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">${description}</desc>
      <rect class="track" width="100%" height="28" />
      ${rects}
    </svg>
    <figcaption>
      <ul class="legend">
        ${slices.map(({ label, count, tone }) => html`<li><span class="key ${tone}"></span>${label} <b>${formatCount(count)}</b> <span class="soft">${formatShare(count, whole)}</span></li>`)}
      </ul>
    </figcaption>
  </figure>`;
}

/**
 * barList draws a bar for each line; label and count stand above it as text. A full bar is `most` rows: lists that
 * share a page are compared, so their caller gives them one scale. `whole` is what shares are of.
 */
export function barList(title: string, bars: readonly Bar[], whole: number, most: number): Html {
  return html`<ul class="bars" aria-label="${title}">
    ${bars.map(
      ({ label, note, count, tone }) =>
        html`<li>
          <div>
            <span><code>${label}</code>${note === '' ? null : html` <span class="soft">${note}</span>`}</span
            ><span class="figure"
              ><b>${formatCount(count)}</b> <span class="soft">${formatShare(count, whole)}</span></span
            >
          </div>
          <svg aria-hidden="true" width="100%" height="8">
            <rect class="track" width="100%" height="8" rx="2" />
            ${
              count === 0
                ? null
                : html`<rect
                    class="${tone}"
                    width="${percent(Math.max(LEAST_SHARE, (count / most) * 100))}"
                    height="8"
                    rx="2"
                  />`
            }
          </svg>
        </li>`,
    )}
  </ul>`;
}

/** Heights of the timeline, in pixels: changes above, all of the day below, dates at the bottom. */
const CHANGES = 132;
const TOTALS = 44;
const TOP = 8;
const GAP = 30;
const LABEL = 14;
const DATES = 26;

/**
 * dayColumns draws a timeline: for each day what went up (refused) above a line and what went down (allowed) below it, on one scale, and
 * under both the total. The days must follow each other without a gap.
 */
export function dayColumns(
  id: string,
  title: string,
  days: readonly DayColumn[],
  names: { readonly up: string; readonly down: string; readonly total: string },
): Html {
  const mostUp = Math.max(0, ...days.map(({ up }) => up));
  const mostDown = Math.max(0, ...days.map(({ down }) => down));
  const mostTotal = Math.max(1, ...days.map(({ total }) => total));
  const changes = mostUp + mostDown > 0 ? CHANGES + GAP : LABEL;
  const unit = CHANGES / Math.max(1, mostUp + mostDown);
  const zero = TOP + mostUp * unit;
  const floor = TOP + changes + TOTALS;
  const height = floor + DATES;
  const band = 100 / Math.max(1, days.length);
  const width = Math.min(band * 0.7, 4);
  const column = (x: number, y: number, tall: number, tone: Tone): Html | null =>
    tall <= 0
      ? null
      : html`<rect
          class="${tone}"
          x="${percent(x)}"
          y="${y.toFixed(1)}"
          width="${percent(width)}"
          height="${Math.max(1.5, tall).toFixed(1)}"
        />`;
  const columns = days.map(({ date, total, up, down }, i) => {
    const x = band * i + (band - width) / 2;
    const tall = (total / mostTotal) * TOTALS;
    const about = `${date}: ${names.up} ${formatCount(up)}, ${names.down} ${formatCount(down)}, ${names.total} ${formatCount(total)}`;
    return html`<g>
      <title>${about}</title>
      <rect
        class="hover"
        x="${percent(band * i)}"
        y="${TOP}"
        width="${percent(band)}"
        height="${floor - TOP}"
      />${column(x, zero - up * unit, up * unit, 'refused')}${column(x, zero, down * unit, 'admitted')}${column(x, floor - tall, tall, 'same')}</g
    >`;
  });
  const every = Math.max(1, Math.ceil(days.length / 5));
  const dates = days.map(({ date }, i) =>
    i % every !== 0
      ? null
      : html`<text x="${percent(band * i + (band - width) / 2)}" y="${height - 8}">${shortDate(date)}</text>`,
  );
  const above =
    mostUp > 0
      ? html`<span
          ><span class="key refused"></span>${names.up}: at most ${counted(mostUp, 'row')} a day</span
        >`
      : null;
  const below =
    mostDown > 0
      ? html`<span
          ><span class="key admitted"></span>${names.down}: at most ${counted(mostDown, 'row')} a day</span
        >`
      : null;
  const sum = (pick: (day: DayColumn) => number): string =>
    formatCount(days.reduce((all, day) => all + pick(day), 0));
  const description = `${days.length} days from ${days[0]?.date ?? ''} to ${days.at(-1)?.date ?? ''}. ${names.up}: ${sum(({ up }) => up)}; ${names.down}: ${sum(({ down }) => down)}; ${names.total}: ${sum(({ total }) => total)}.`;
  return html`<figure class="days">
    ${mostUp + mostDown === 0 ? null : html`<div class="peaks">${above}${below}</div>`}
    <svg role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${height}">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">${description}</desc>
      ${columns}
      ${mostUp + mostDown === 0 ? null : html`<line class="axis" x1="0" x2="100%" y1="${zero.toFixed(1)}" y2="${zero.toFixed(1)}" />`}
      <line class="axis" x1="0" x2="100%" y1="${floor}" y2="${floor}" />
      <text y="${TOP + changes - 7}">${names.total}: at most ${formatCount(mostTotal)} a day</text>
      ${dates}
    </svg>
  </figure>`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function shortDate(date: string): string {
  const [, month, day] = date.split('-').map(Number);
  return `${MONTHS[(month ?? 0) - 1] ?? ''} ${day ?? ''}`;
}
