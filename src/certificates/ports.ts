/** ServingPair is a serving certificate, with those between it and its authority, and its private key, as PEM texts. */
export interface ServingPair {
  readonly cert: string;
  readonly key: string;
}

/** ServingSource is where a replica takes its serving certificate from: the Secret that the leader keeps, or files. */
export interface ServingSource {
  /** Null while there is none yet. Throws for one that cannot be used; what is in use then stays in use. */
  read(): Promise<ServingPair | null>;
}

/** KeptSecret is the data of a Secret as texts, with the version that a write must name. */
export interface KeptSecret {
  readonly data: Readonly<Record<string, string>>;
  readonly version: string;
}

/** SecretStore keeps one Secret of the operator's namespace. A write that met another one since gives false. */
export interface SecretStore {
  /** Null where there is none. */
  read(): Promise<KeptSecret | null>;
  create(data: Readonly<Record<string, string>>): Promise<boolean>;
  /** Replaces all of its data if it still has this version. */
  replace(data: Readonly<Record<string, string>>, version: string): Promise<boolean>;
}

/** BundleStore writes whom the API server trusts: the `caBundle` of every webhook of one ValidatingWebhookConfiguration. */
export interface BundleStore {
  /** Those that stand there now as PEM texts, one for each webhook, empty where there is none; null without a configuration. */
  read(): Promise<readonly string[] | null>;
  /** Writes the PEM into every webhook; false where there is no configuration. */
  publish(pem: string): Promise<boolean>;
}

/** Authority is a certificate authority with its private key, as PEM texts. */
export interface Authority {
  readonly cert: string;
  readonly key: string;
}

/** CertificateMaker makes keys and certificates. Times are milliseconds. */
export interface CertificateMaker {
  makeAuthority(life: { readonly from: number; readonly to: number }): Promise<Authority>;
  /** A certificate for a server of these names, signed by the authority. */
  makeServing(
    authority: Authority,
    names: readonly string[],
    life: { readonly from: number; readonly to: number },
  ): Promise<ServingPair>;
}

/** ClientMaker makes certificates by which a caller is known. */
export interface ClientMaker {
  makeClient(
    authority: Authority,
    name: string,
    life: { readonly from: number; readonly to: number },
  ): Promise<ServingPair>;
}
