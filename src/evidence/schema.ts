import { z } from 'zod';
import { IpoError, isIpoError, parseStrictJson } from '../base/index.ts';
import { FORMAT, type EvidenceDocument } from './document.ts';
import {
  absent,
  admissions,
  attestation,
  bypass,
  count,
  coverage,
  declaration,
  framework,
  generation,
  issues,
  ledger,
  maybe,
  mutes,
  period,
  policy,
  runtime,
  sha256,
  table,
  text,
  time,
  triage,
  vulnerabilities,
} from './schema-parts.ts';

const document = z
  .strictObject({
    format: z.literal(FORMAT),
    id: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    made_at: time,
    period,
    organisation: z.strictObject({
      name: maybe,
      contact: maybe,
      declarations: z.union([z.array(declaration), absent]),
    }),
    generation,
    ledger,
    policies: z.array(policy),
    admissions,
    coverage,
    break_glass: z.strictObject({
      ...table,
      images: count,
      people: count,
      without_reason: count,
      without_person: count,
      items: z.array(bypass).max(1000),
    }),
    triage: z.union([triage, absent]),
    vulnerabilities: z.union([vulnerabilities, absent]),
    issues: z.union([issues, absent]),
    mutes: z.union([mutes, absent]),
    runtime: z.union([runtime, absent]),
    attestations: z.array(attestation),
    requirements: z.array(framework),
    files: z.array(z.strictObject({ name: text, sha256, size: count })),
    limits: z.array(
      z.strictObject({ section: text, shown: count.nullable(), total: count.nullable(), why: text }),
    ),
  })
  .meta({ title: 'ipo evidence package', description: 'evidence.json of an evidence package' });

/** documentSchema is the JSON Schema (2020-12) of `evidence.json`. */
export function documentSchema(): object {
  return z.toJSONSchema(document, { target: 'draft-2020-12' });
}

/** parseDocument reads `evidence.json`. Throws IpoError `damaged` with the place in it, or `format` for another format. */
export function parseDocument(bytes: Uint8Array, name: string): EvidenceDocument {
  let value: unknown;
  try {
    value = parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const why = isIpoError(error) ? error.message : 'it is not JSON';
    throw new IpoError('damaged', `${name}: evidence.json cannot be read: ${why}`);
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'string' && format !== FORMAT)
    throw new IpoError(
      'format',
      `${name}: evidence.json is of the format "${format.slice(0, 40)}"; this release reads "${FORMAT}"`,
    );
  const result = document.safeParse(value);
  // As it was written: the order of its keys is part of it.
  if (result.success) return value as EvidenceDocument;
  const [issue] = result.error.issues;
  throw new IpoError(
    'damaged',
    `${name}: evidence.json: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`,
  );
}
