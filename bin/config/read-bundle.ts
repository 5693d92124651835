import { fieldSentence, isIpoError } from '../../src/base/index.ts';
import { checkForm, MAX_BUNDLE_BYTES, MAX_DOCUMENTS } from '../../src/configuration/index.ts';
import { PolicyError, readDocuments, type Problem, type SourceFile } from '../../src/policy/index.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Faults of a file that are listed after the first; each alias of a bomb is one. */
const MAX_PROBLEMS = 20;

/** BundleFile is a configuration as a file holds it: its documents, and where they stand. */
export type BundleFile = Pick<SourceFile, 'documents'>;

/** readBundleFile takes the file of a configuration apart. Throws FileError, and PolicyError with every problem of its YAML, and of its form. */
export async function readBundleFile(path: string, terminal: Terminal): Promise<BundleFile> {
  const text = await openParts(terminal).readText(path, MAX_BUNDLE_BYTES);
  const { documents, problems } = readDocuments(text, path === '-' ? 'stdin' : path, {
    bytes: MAX_BUNDLE_BYTES,
    documents: MAX_DOCUMENTS,
    what: 'configuration',
  });
  const [first, ...more] = problems;
  if (first !== undefined) throw new PolicyError([first, ...more.slice(0, MAX_PROBLEMS)]);
  try {
    checkForm(documents.map(({ value }) => value));
  } catch (error) {
    throw atTheirPlaces(error, { documents });
  }
  return { documents };
}

/** atTheirPlaces gives a fault of the service at the lines of the file, where it names documents. */
export function atTheirPlaces(error: unknown, { documents }: BundleFile): unknown {
  if (!isIpoError(error) || error.code !== 'invalid_request' || error.fields === undefined) return error;
  const { hint } = error;
  const problems = error.fields.flatMap(({ path, message }): Problem[] => {
    const [, at, within = ''] = /^documents\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const document = at === undefined ? undefined : documents[Number(at)];
    if (document === undefined) return [];
    const { line, column } = document.places.of(stepsOf(within));
    const said = fieldSentence({ path: within === '' ? 'the document' : within, message }, ' ');
    const { file } = document.places;
    return [{ level: 'error', rule: 'value', path: within, message: said, hint: null, file, line, column }];
  });
  const [first, ...more] = problems;
  return first === undefined ? error : new PolicyError([{ ...first, hint: hint ?? null }, ...more]);
}

/** `spec.to[0]` as `spec`, `to`, 0. */
function stepsOf(path: string): readonly (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .flatMap((step) => (step === '' ? [] : [/^\d+$/.test(step) ? Number(step) : step]));
}
