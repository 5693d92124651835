import { isIpoError, type Clock, type Digest } from '../base/index.ts';
import {
  accountsToTry,
  parseReference,
  type ImageReference,
  type Keychain,
  type PullPlaces,
} from '../image/index.ts';
import type { ScanReport } from './scan-report.ts';
import { registryReason, ScannerError, toScannerError } from './scanner-error.ts';
import type { ChosenImage, ImageChoice, Scanner, ScanOrder } from './scanner-ports.ts';

/** Scanned is a report and what was scanned: the image of a platform where an index was asked for. */
export interface Scanned {
  readonly report: ScanReport;
  readonly image: ChosenImage;
}

/** PlaceDeps are what one place is asked with. */
export interface PlaceDeps {
  readonly scanner: Scanner;
  readonly keychain: Keychain | null;
  readonly imageOf?: ImageChoice | null | undefined;
  readonly pullPlaces?: PullPlaces | null | undefined;
  readonly clock: Clock;
}

/** PlaceAsk is what one place is asked for; `late` is the time in milliseconds after which no further credential is tried. */
export interface PlaceAsk {
  readonly reference: ImageReference;
  readonly digest: Digest;
  /** Chooses among the images of an index. */
  readonly choose: Parameters<ImageChoice>[1];
  readonly late: number;
  readonly signal: AbortSignal;
}

/**
 * scanPlace scans an image as one place has it, with one credential after another until one gives it. Throws ScannerError; what keeps this
 * place from being asked (its credential, its registry) is the fault `image`, and says nothing of the next.
 */
export async function scanPlace(deps: PlaceDeps, ask: PlaceAsk): Promise<Scanned> {
  try {
    return await scan(deps, ask);
  } catch (error) {
    throw toImageFault(error, ask.signal);
  }
}

async function scan(
  deps: PlaceDeps,
  { reference, digest, choose, late, signal }: PlaceAsk,
): Promise<Scanned> {
  const { imageOf, pullPlaces, clock } = deps;
  const image = (await imageOf?.(reference, choose, signal)) ?? { digest, platform: null };
  const place = parseReference(`${reference.name}@${image.digest}`);
  if ('fault' in place) throw new ScannerError('image', `the image ${place.fault}`);
  const { platform } = image;
  let fault: ScannerError | null = null;
  for (const from of pullPlaces?.(reference) ?? [undefined]) {
    try {
      const order = { reference: place, from, platform, signal };
      return { report: await scanFrom(deps, order, late), image };
    } catch (error) {
      // A mirror may not have it, or be away; what is said of the registry itself, which is asked last, counts most.
      fault = toImageFault(error, signal);
      if (fault.fault !== 'image') throw fault;
      if (clock.now() > late) break;
    }
  }
  throw fault ?? new ScannerError('image', 'no place was asked');
}

/** Asks one host with one credential after another: its own, and those of no other host. */
async function scanFrom(
  { scanner, keychain, clock }: PlaceDeps,
  order: Omit<ScanOrder, 'credential'>,
  late: number,
): Promise<ScanReport> {
  const { reference, from, signal } = order;
  const { credentials, without } = await accountsToTry(keychain, from ?? reference);
  let fault: ScannerError | null = null;
  for (const credential of credentials) {
    if (signal.aborted) throw new ScannerError('stopped', 'the service was stopped');
    try {
      return await scanner.scan({ ...order, credential });
    } catch (error) {
      // Whatever it throws is of the scan: a report that cannot be read says nothing of this place.
      fault = toScannerError(error, signal.aborted);
      if (fault.fault !== 'image') throw fault;
      if (clock.now() > late) break;
    }
  }
  if (fault !== null && without !== null)
    throw new ScannerError('image', `${fault.message}; ${without.message}`, {
      ...(without.hint !== undefined && { hint: without.hint }),
      reason: fault.reason === 'unauthorized' ? 'credentials' : fault.reason,
      cause: fault,
    });
  throw fault ?? new ScannerError('image', 'no credential was tried');
}

/** What keeps a place from being asked, its credential or its registry, is the fault `image`. */
function toImageFault(error: unknown, signal: AbortSignal): ScannerError {
  if (!isIpoError(error) || error instanceof ScannerError || signal.aborted)
    return toScannerError(error, signal.aborted);
  return new ScannerError('image', error.message, { reason: registryReason(error), cause: error });
}
