import type * as z from 'zod/mini';
import { IpoError, printable, type ErrorPlace } from '../base/index.ts';

/** ManifestError says which document of a manifest cannot be read, and why. */
export class ManifestError extends IpoError {
  override readonly name = 'ManifestError';
  constructor(message: string, place: ErrorPlace, hint?: string) {
    super('invalid_manifest', message, { place, hint });
  }
}

const NAMES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'a text',
  int: 'a whole number',
  number: 'a whole number',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping of texts',
};

/** describeIssue says in our words what is wrong with a field, and at which path of the document. */
export function describeIssue(
  issue: z.core.$ZodIssue | undefined,
  value: unknown,
  prefix: readonly PropertyKey[],
): { message: string; path: readonly PropertyKey[] } {
  const below = issue?.path ?? [];
  const path = [...prefix, ...below];
  const found = below.reduce<unknown>(
    (at, step) => (at as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[step],
    value,
  );
  const wanted = issue?.code === 'invalid_type' ? NAMES[issue.expected] : undefined;
  const isMissing = found === undefined || (found === null && wanted === 'a mapping');
  const fault = isMissing ? 'is missing' : faultOf(wanted, issue?.code);
  return { message: `${showPath(path)} ${fault}`, path };
}

/** showPath writes a path as `spec.containers[0].image`. */
export function showPath(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return printable(text.startsWith('.') ? text.slice(1) : text, 160);
}

function faultOf(wanted: string | undefined, code: string | undefined): string {
  if (wanted !== undefined) return `must be ${wanted}`;
  return code === 'too_big' ? 'is larger than anything that Kubernetes takes' : 'is not as Kubernetes has it';
}
