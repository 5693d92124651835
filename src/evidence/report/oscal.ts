import { uuid5 } from '../../base/index.ts';
import type { EvidenceDocument, FileEntry } from '../document.ts';

const NS = 'https://ipo.dev/ns/oscal';
/** toOscal writes a package as OSCAL assessment results. `rows` is the file of the rows, which observations refer to. */
export function toOscal(document: EvidenceDocument, rows: FileEntry): string {
  const { id, made_at: at, period } = document;
  const resource = uuid5(`${id} rows`);
  const evidence = { href: `#${resource}`, text: `Rows of the ledger, sha256:${rows.sha256}` };
  const observationsOf = ({ id: framework, requirements }: Framework) => {
    const used = new Set(requirements.flatMap((one) => one.attestations));
    return document.attestations
      .filter((one) => used.has(one.id))
      .map((attestation) => ({
        uuid: uuid5(`${id} observation ${framework} ${attestation.id}`),
        title: attestation.title,
        description: attestation.because,
        props: [
          prop('attestation', attestation.id),
          prop('state', attestation.state),
          prop('population', String(attestation.population)),
          prop('passed', String(attestation.passed)),
          prop('failed', String(attestation.failed)),
        ],
        methods: ['TEST'],
        'relevant-evidence': [{ href: evidence.href, description: evidence.text }],
        collected: at,
      }));
  };
  const results = document.requirements.map((framework) => ({
    uuid: uuid5(`${id} result ${framework.id}`),
    title: framework.name,
    description: `Requirements of ${framework.name}, version ${framework.version}, to which recorded admissions speak.`,
    start: period.from,
    end: period.to,
    props: [prop('framework', framework.id)],
    'reviewed-controls': { 'control-selections': [selection(framework)] },
    observations: observationsOf(framework),
    ...findingsOf(id, framework, evidence),
  }));
  const content = {
    'assessment-results': {
      uuid: uuid5(`${id} assessment-results`),
      metadata: {
        title: `Evidence of ${document.organisation.name?.trim() || 'an installation of ipo'}`,
        'last-modified': at,
        version: id,
        'oscal-version': '1.2.1',
      },
      'import-ap': { href: '#' },
      results,
      'back-matter': {
        resources: [
          {
            uuid: resource,
            title: rows.name,
            rlinks: [{ href: rows.name, hashes: [{ algorithm: 'SHA-256', value: rows.sha256 }] }],
          },
        ],
      },
    },
  };
  return `${JSON.stringify(content)}\n`;
}

type Framework = EvidenceDocument['requirements'][number];

function selection({ id, requirements }: Framework) {
  const inScope = requirements.filter(({ state }) => state !== 'out_of_scope');
  return { 'include-controls': inScope.map((one) => ({ 'control-id': tokenOf(id, one.id) })) };
}

function findingsOf(id: string, framework: Framework, evidence: { href: string; text: string }) {
  const findings = framework.requirements
    .filter(({ state }) => state !== 'out_of_scope')
    .map((one) => ({
      uuid: uuid5(`${id} finding ${framework.id} ${one.id}`),
      title: `${one.id} ${one.title}`,
      description: one.why,
      props: [prop('requirement', one.id), prop('state', one.state)],
      links: [{ ...evidence, rel: 'evidence' }],
      target: {
        type: 'objective-id',
        'target-id': tokenOf(framework.id, one.id),
        status: one.state === 'met' ? { state: 'satisfied' } : { state: 'not-satisfied', reason: 'other' },
      },
      'related-observations': one.attestations.map((name) => ({
        'observation-uuid': uuid5(`${id} observation ${framework.id} ${name}`),
      })),
    }));
  return findings.length === 0 ? {} : { findings };
}

/** Ids that the schema refuses get a prefix and lose what it refuses; as printed they stand in a prop. */
function tokenOf(framework: string, id: string): string {
  return /^[\p{L}_][\p{L}\p{N}.\-_]*$/u.test(id)
    ? id
    : `${framework}-${id.replaceAll(/[^\p{L}\p{N}.\-_]+/gu, '-').replace(/-+$/, '')}`;
}

function prop(name: string, value: string) {
  return { name, ns: NS, value };
}
