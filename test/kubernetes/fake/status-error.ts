/** StatusError is an answer of the API server that is no success. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly retryAfter: number | null;
  /** What a client reads of an apply that others' fields keep from being done. */
  readonly causes: readonly Readonly<Record<string, string>>[];

  constructor(
    code: number,
    reason: string,
    message: string,
    retryAfter: number | null = null,
    causes: readonly Readonly<Record<string, string>>[] = [],
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.causes = causes;
  }

  /** The Status object that tells of it. */
  get body(): Readonly<Record<string, unknown>> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      code: this.code,
      ...(this.retryAfter !== null && { details: { retryAfterSeconds: this.retryAfter } }),
      ...(this.causes.length > 0 && { details: { causes: this.causes } }),
    };
  }
}
