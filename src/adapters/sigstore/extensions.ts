import type { X509Certificate } from '@sigstore/core';

/** Node is an element of a certificate's ASN.1. */
export type Node = X509Certificate['root'];

/** Extension is one extension of a certificate. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** The OCTET STRING that holds it, with its elements where its content is ASN.1. */
  readonly value: Node;
}

/** extensionsOf gives the extensions of a certificate as they stand. Throws on one that is not built as RFC 5280 says. */
export function extensionsOf(certificate: X509Certificate): Extension[] {
  return certificate.extensions.map(({ subs }) => {
    const [oid, second, third] = subs;
    const value = third ?? second;
    if (oid === undefined || value === undefined || subs.length > 3 || !value.tag.isOctetString())
      throw new Error('malformed extension');
    return { oid: oid.toOID(), critical: third !== undefined && second?.toBoolean() === true, value };
  });
}

const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

/** KEY_PURPOSE is the extension that says what a certificate's key is for. */
export const KEY_PURPOSE = {
  oid: '2.5.29.37',
  signsCode: ({ value }: Extension): boolean =>
    value.subs[0]?.subs.some((purpose) => purpose.toOID() === CODE_SIGNING) === true,
};
