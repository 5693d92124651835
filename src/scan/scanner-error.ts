import { IpoError, isIpoError } from '../base/index.ts';
import type { ScanFailureReason } from '../findings/index.ts';
import { RegistryError, type RegistryFault } from '../image/index.ts';

/**
 * ScannerFault says what a scan failed by: `image`, the registry does not give it; `late`, its time was over; `report`, what the scanner
 * wrote is not a whole report of this image; `failed`, anything else about this one scan; `scanner`, the scanner itself does not work, so
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

/** The reason that follows from a fault where nothing more is known. */
const REASONS = {
  image: 'failed',
  late: 'timeout',
  report: 'bad_report',
  failed: 'failed',
  scanner: 'scanner',
  stopped: 'interrupted',
} as const satisfies Record<ScannerFault, ScanFailureReason>;

const REGISTRY_REASONS = {
  absent: 'not_found',
  denied: 'unauthorized',
  credentials: 'credentials',
  rate_limited: 'rate_limited',
  unavailable: 'unreachable',
  unreadable: 'bad_answer',
  too_large: 'bad_answer',
  unsupported: 'unsupported',
  refused: 'refused',
  cancelled: 'unreachable',
} as const satisfies Record<RegistryFault, ScanFailureReason>;

/** registryReason gives the reason of what a registry answered, or why it was not asked. */
export function registryReason(error: unknown): ScanFailureReason {
  if (!(error instanceof RegistryError)) return 'failed';
  return error.isCertificate ? 'certificate' : REGISTRY_REASONS[error.fault];
}

/** ScannerError says why a scan gave no report. `cause` is only for the log. */
export class ScannerError extends IpoError {
  override readonly name = 'ScannerError';
  readonly fault: ScannerFault;
  /** As people and programs are told. */
  readonly reason: ScanFailureReason;
  constructor(
    fault: ScannerFault,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown; readonly reason?: ScanFailureReason } = {},
  ) {
    const { reason = REASONS[fault], ...rest } = options;
    super(CODES[fault], message, rest);
    this.fault = fault;
    this.reason = reason;
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
