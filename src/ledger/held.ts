/** Held is whether rows are held back, and whether that lasts too long. */
export class Held {
  #holding = false;
  #late = false;
  #settled = Promise.withResolvers<void>();

  get holding(): boolean {
    return this.#holding;
  }

  get late(): boolean {
    return this.#late;
  }

  /** False where rows are held already. */
  begin(): boolean {
    const begins = !this.#holding;
    this.#holding = true;
    return begins;
  }

  /** Says that it lasts too long. */
  lag(): void {
    this.#late = true;
    this.#settle();
  }

  end(): void {
    this.#holding = false;
    this.#late = false;
    this.#settle();
  }

  /** Ends once nothing is held any more, or it lasts too long. */
  async settled(): Promise<void> {
    if (this.#holding && !this.#late) await this.#settled.promise;
  }

  #settle(): void {
    this.#settled.resolve();
    this.#settled = Promise.withResolvers();
  }
}
