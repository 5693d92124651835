import { IpoError, isIpoError } from '../base/index.ts';

/**
 * ScannerFault says what a scan failed by: `image`, the registry does not give it; `late`, its time was over; `report`, what the scanner
 * wrote is no whole report of this image; `failed`, anything else about this one scan; `scanner`, the scanner itself does not work, so
 * that no other image would fare better; `stopped`, the service ends.
 */
export type ScannerFault = 'image' | 'late' | 'report' | 'failed' | 'scanner' | 'stopped';

const CODES = {
  image: 'unavailable',
  late: 'unavailable',
  report: 'invalid_report',
  failed: 'unavailable',
  scanner: 'unavailable',
  stopped: 'unavailable',
} as const;

/** ScannerError says why a scan gave no report. `cause` is for the log alone. */
export class ScannerError extends IpoError {
  override readonly name = 'ScannerError';
  readonly fault: ScannerFault;
  constructor(
    fault: ScannerFault,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(CODES[fault], message, options);
    this.fault = fault;
  }
}

/** toScannerError gives any error that ended a scan as one. */
export function toScannerError(error: unknown, stopped: boolean): ScannerError {
  if (stopped) return new ScannerError('stopped', 'the service was stopped', { cause: error });
  if (error instanceof ScannerError) return error;
  if (isIpoError(error))
    return new ScannerError(error.code === 'invalid_report' ? 'report' : 'failed', error.message, {
      cause: error,
    });
  return new ScannerError('failed', 'the scan failed', { cause: error });
}
