import type { EvidenceDocument } from '../document.ts';
import { PREDICATE_TYPE } from '../package/bundle.ts';

/** readmeText writes how a package is checked without our program. */
export function readmeText(document: EvidenceDocument, hasCheckpoint: boolean): string {
  const { public_key: link } = document.generation;
  const lines = [
    'Evidence package',
    '================',
    '',
    `Package  ${document.id}`,
    `Period   ${document.period.from} to ${document.period.to}`,
    `Key      ${document.generation.key_id}`,
    ...(link === null ? [] : [`Keys     ${link}`]),
    '',
    'evidence.pdf and evidence.html say in words what evidence.json holds for programs. The CSV files are the',
    'populations to sample from. admissions.ndjson.gz holds every row of the ledger in the period.',
    '',
    'Check the signature over evidence.json (OpenSSL 1.1.1 or later):',
    '',
    '  base64 -d evidence.json.sig > evidence.json.der',
    '  openssl dgst -sha256 -verify key.pub -signature evidence.json.der evidence.json',
    '',
    'Check that no file was changed:',
    '',
    '  sha256sum -c SHA256SUMS',
    '',
    'Check that all files are those that were signed (cosign 3.0.4 or later):',
    '',
    '  cosign verify-blob-attestation --bundle evidence.sigstore.json --key key.pub \\',
    `    --insecure-ignore-tlog --type ${PREDICATE_TYPE} evidence.json`,
    '',
    'If evidence.tsr is there, it shows that the signature existed at a time, says the authority whose certificate you have:',
    '',
    '  openssl ts -verify -data evidence.json.der -in evidence.tsr -CAfile AUTHORITY.pem',
    '',
    'key.pub shows that the parts belong together. Whose key it is, you must know another way: ask for its',
    'fingerprint, which is',
    '',
    '  openssl pkey -pubin -in key.pub -outform DER | sha256sum',
    '',
    ...(hasCheckpoint
      ? [
          'checkpoint.txt is the signed state of the ledger (C2SP tlog-checkpoint). Compare it with one that was kept',
          'elsewhere. With ipo:',
          '',
          '  ipo evidence verify PACKAGE.zip',
          '  ipo evidence recompute PACKAGE.zip',
          '  ipo ledger verify --ledger admissions.ndjson.gz',
        ]
      : ['The ledger of this package is not signed, so nothing proves its rows.']),
    '',
    'oscal-assessment-results.json is valid by the NIST OSCAL 1.2.1 schema. Validators that do not know \\p{L} in',
    'patterns (Python check-jsonschema) fail on that schema, not on this file.',
  ];
  return `${lines.join('\n')}\n`;
}
