import { isIP } from 'node:net';
import { createPrivateKey, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import {
  BasicConstraints,
  ExtendedKeyUsage,
  type Extension,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';
import type { Authority, CertificateMaker, ClientMaker, ServingPair } from '../../certificates/index.ts';
import { extension, makeKey, signCertificate, type Life } from './sign.ts';

/** certificateMaker makes authorities, serving certificates and those of callers, on P-256. What a name may be, Kubernetes has checked. */
export const certificateMaker: CertificateMaker & ClientMaker = {
  async makeAuthority(life) {
    const key = await makeKey();
    const name = `image-policy-operator CA ${randomBytes(4).toString('hex')}`;
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

  makeServing: (authority, names, life) =>
    makeLeaf(authority, names[0] ?? '', life, [
      extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names.map(toGeneralName))),
    ]),

  makeClient: (authority, name, life) =>
    makeLeaf(authority, name, life, [
      extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_clientAuth])),
    ]),
};

async function makeLeaf(
  authority: Authority,
  name: string,
  life: Life,
  extensions: readonly Extension[],
): Promise<ServingPair> {
  const key = await makeKey();
  const signer = {
    name: commonName(new X509Certificate(authority.cert)),
    key: createPrivateKey(authority.key),
  };
  const cert = signCertificate({
    name,
    key,
    signer,
    life,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      ...extensions,
    ],
  });
  return { cert, key: pem(key) };
}

function toGeneralName(name: string): GeneralName {
  return isIP(name) === 0 ? new GeneralName({ dNSName: name }) : new GeneralName({ iPAddress: name });
}

function commonName({ subject }: X509Certificate): string {
  return subject.replace(/^CN=/, '');
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
