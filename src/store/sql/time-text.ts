const MINUTE = 60_000;
const SECONDS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
const MILLISECONDS = Array.from({ length: 1000 }, (_, i) =>
  i === 0 ? 'Z' : `.${String(i).padStart(3, '0')}Z`,
);

/**
 * TimeText writes whole milliseconds as `formatTime` does, ten times as fast for times that follow each other closely: it is on
 * the path of every replayed row.
 */
export class TimeText {
  #minute = NaN;
  #prefix = '';

  of(at: number): string {
    const minute = Math.floor(at / MINUTE);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#prefix = new Date(minute * MINUTE).toISOString().slice(0, 17);
    }
    const rest = at - minute * MINUTE;
    const second = Math.floor(rest / 1000);
    return `${this.#prefix}${SECONDS[second]}${MILLISECONDS[rest - second * 1000]}`;
  }
}
