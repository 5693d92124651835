import { printable } from '../../base/index.ts';
import { ScannerError } from '../../scan/index.ts';
import type { ProgramError } from './program-error.ts';
import type { Run } from './run-program.ts';

/** ScannerRun is what a scanner bounds one run of its program by, and what it may see. */
export interface ScannerRun extends Pick<Run, 'timeoutMs' | 'maxBytes' | 'signal'> {
  /** Texts that no sentence about the run may hold. */
  readonly secrets: readonly string[];
  /** A docker `config.json` for its registry; null for none. */
  readonly config: string | null;
  /** Authorities in PEM that its registry needs beside the system's; absent or null for none. */
  readonly authorities?: string | null | undefined;
}

/** Scanned reports the scanner that a program is. */
export interface Scanned {
  /** As people call it: `Trivy`. */
  readonly product: string;
  /** As it was started. */
  readonly program: string;
  /** What it wrote last, without secrets. */
  readonly said: string;
  /** The fault that follows from what it wrote, where it ended by itself with a fault. */
  failed(cause: unknown): ScannerError;
}

/** scannerFault says why the run of a scanner came to nothing; the same for every scanner but for what it writes itself. */
export function scannerFault(error: ProgramError, { product, program, said, failed }: Scanned): ScannerError {
  const cause = said === '' ? error.cause : new Error(printable(said, 2000));
  const name = product.toLowerCase();
  switch (error.fault) {
    case 'stopped':
      return new ScannerError('stopped', 'the service was stopped');
    case 'missing':
      return new ScannerError(
        'scanner',
        `the program ${printable(program)} cannot be started: ${error.message}`,
        { hint: `Install ${product}, or set scanner.program to where it is`, cause },
      );
    case 'late':
      return new ScannerError('late', `${name} was too slow: ${error.message}`, {
        hint: 'Raise scanner.timeout',
        cause,
      });
    case 'too_large':
    case 'cut_off':
      return new ScannerError('report', `${name} gave no whole report: ${error.message}`, { cause });
    case 'failed':
      return failed(cause);
  }
}
