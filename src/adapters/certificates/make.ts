import { createPrivateKey, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import {
  BasicConstraints,
  ExtendedKeyUsage,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';
import type { CertificateMaker } from '../../certificates/index.ts';
import { extension, makeKey, signCertificate } from './sign.ts';

/** certificateMaker makes authorities and serving certificates on P-256. What a name may be, Kubernetes has checked. */
export const certificateMaker: CertificateMaker = {
  async makeAuthority(life) {
    const key = await makeKey();
    const name = `image-policy-operator webhook CA ${randomBytes(4).toString('hex')}`;
    const cert = signCertificate({
      name,
      key,
      signer: { name, key },
      life,
      extensions: [
        extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
        extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
      ],
    });
    return { cert, key: pem(key) };
  },

  async makeServing(authority, names, life) {
    const key = await makeKey();
    const ca = new X509Certificate(authority.cert);
    const cert = signCertificate({
      name: names[0] ?? '',
      key,
      signer: { name: commonName(ca), key: createPrivateKey(authority.key) },
      life,
      extensions: [
        extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
        extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
        extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
        extension(
          id_ce_subjectAltName,
          false,
          new SubjectAlternativeName(names.map((dNSName) => new GeneralName({ dNSName }))),
        ),
      ],
    });
    return { cert, key: pem(key) };
  },
};

function commonName({ subject }: X509Certificate): string {
  return subject.replace(/^CN=/, '');
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
