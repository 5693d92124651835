import { IpoError, type ErrorCode } from '../base/index.ts';

/** REGISTRY_FAULTS are the ways in which a registry does not give what it was asked for, each with the code that it becomes. */
const REGISTRY_FAULTS = {
  /** The registry itself said that there is no such repository, tag, manifest or blob. The only fault that means "not there". */
  absent: 'not_found',
  /** It wants another credential, or gives this one no right to read. Some registries say so of what is not there. */
  denied: 'forbidden',
  /** A credential that is configured cannot be read or used. Nothing was asked. */
  credentials: 'bad_credentials',
  /** It asks to slow down; `retryAfter` where it says for how long. */
  rate_limited: 'rate_limited',
  /** It cannot be reached, did not answer in time, or has a fault of its own. */
  unavailable: 'network',
  /** Its answer is not what its API says, or not what the digest says. */
  unreadable: 'format',
  /** There is more than is read. */
  too_large: 'too_large',
  /** A kind of image that is not read, or no image for the platform. */
  unsupported: 'format',
  /** An address or a way (plain HTTP) that this program does not call. */
  refused: 'invalid_config',
  /** The caller no longer waits. */
  cancelled: 'unavailable',
} as const satisfies Record<string, ErrorCode>;

/** RegistryFault is one of them. */
export type RegistryFault = keyof typeof REGISTRY_FAULTS;

/**
 * RegistryRemedy is what somebody can do about a fault from outside of the service; the code that shows the error has the words for it. The
 * first four are of credential helpers: one that is named as no program is, that waits for something locked, that is not on the PATH, and
 * that has nothing to give. `look_between`: something else than a registry answers, or changes what it answers on the way.
 */
export type RegistryRemedy =
  | 'name_helper'
  | 'unlock_helper'
  | 'install_helper'
  | 'renew_helper'
  | 'trust_certificate'
  | 'allow_plain_http'
  | 'sign_in'
  | 'slow_down'
  | 'reach'
  | 'look_between';

/** RegistryError says why something of a registry is not at hand. Its sentence holds no credential. */
export class RegistryError extends IpoError {
  override readonly name = 'RegistryError';
  readonly fault: RegistryFault;
  /** Whether the registry itself said that it is busy: it may be asked the same again, after `retryAfter` where it says so. */
  readonly isBusy: boolean;
  /**
   * Of `credentials`: whether the registry may be asked anonymously instead. Then this error counts where that is denied. Only a helper
   * that gives nothing is such a fault: docker and the kubelet go on without one, too.
   */
  readonly elseAnonymous: boolean;
  /** Whether its certificate is not trusted, has expired or is for another name. */
  readonly isCertificate: boolean;
  readonly remedy: RegistryRemedy | null;

  constructor(
    fault: RegistryFault,
    message: string,
    options: {
      readonly hint?: string | undefined;
      /** Whole seconds. */
      readonly retryAfter?: number | undefined;
      readonly busy?: boolean | undefined;
      readonly elseAnonymous?: boolean | undefined;
      readonly certificate?: boolean | undefined;
      readonly remedy?: RegistryRemedy | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(REGISTRY_FAULTS[fault], message, options);
    this.fault = fault;
    this.isBusy = options.busy ?? false;
    this.elseAnonymous = options.elseAnonymous ?? false;
    this.isCertificate = options.certificate ?? false;
    this.remedy = options.remedy ?? null;
  }

  /** Whether asking again later, with nothing changed here, may succeed. */
  get mayPass(): boolean {
    return this.fault === 'unavailable' || this.fault === 'rate_limited' || this.fault === 'cancelled';
  }
}

/** isAbsent tells whether a fault means that the registry has no such thing, as against that it could not be asked. */
export function isAbsent(error: unknown): boolean {
  return error instanceof RegistryError && error.fault === 'absent';
}
