import { JsonKeyError, parseStrictJson } from '../../base/index.ts';
import { ReportError } from './report-error.ts';

const AGAIN = 'Make it with `trivy image --format json --output report.json IMAGE`';

/** parseJson reads the text of a report. Throws ReportError for what is not JSON, cut off or not. */
export function parseJson(text: string, file: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonKeyError)
      throw new ReportError(file, `the report is damaged: ${error.message}`, AGAIN, error);
    if (text.trim() === '')
      throw new ReportError(file, 'the report is empty; the scan has probably failed', AGAIN, error);
    const { message } = error as Error;
    const begun = /^\s*[{[]/.test(text);
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? NaN);
    const cutOff =
      begun &&
      (/Unexpected end|Unterminated/i.test(message) ||
        position >= text.trimEnd().length ||
        !/[}\]]\s*$/.test(text));
    throw new ReportError(
      file,
      cutOff ? 'the report ends in the middle: it was cut off' : 'the report is not JSON',
      AGAIN,
      error,
    );
  }
}

/** isOfKnownKind tells whether explainForeign can say of which kind a JSON value is, or it may be a report of Trivy. */
export function isOfKnownKind(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  const marks = ['SchemaVersion', 'ClusterName', 'bomFormat', 'spdxVersion', 'runs', 'kind', 'Results'];
  return isObject(value) && marks.some((mark) => mark in value);
}

/** explainForeign says what a JSON value is that is not a report of one artifact in schema version 2; null when it may be one. */
export function explainForeign(value: unknown, file: string): ReportError | null {
  const old = 'the report has schema version 1, which Trivy wrote before 0.20; version 2 is read here';
  if (Array.isArray(value)) {
    const results = value.length > 0 && value.every((entry) => isObject(entry) && 'Target' in entry);
    return new ReportError(file, results ? old : 'a list, not a report of Trivy', AGAIN);
  }
  if (!isObject(value)) return new ReportError(file, 'not a report of Trivy', AGAIN);
  if ('ClusterName' in value && ('Resources' in value || 'Findings' in value)) {
    return new ReportError(
      file,
      'this is the report of a whole cluster (trivy k8s); reports of single images are read here',
      AGAIN,
    );
  }
  if (value.bomFormat === 'CycloneDX' || 'spdxVersion' in value) {
    return new ReportError(
      file,
      'this is a software bill of materials, which says nothing of vulnerabilities found',
      'Scan it: `trivy sbom --format json FILE`',
    );
  }
  if (Array.isArray(value.runs) && value.version === '2.1.0') {
    return new ReportError(file, 'this is SARIF, which leaves out what a decision needs', AGAIN);
  }
  if (typeof value.kind === 'string' && typeof value.apiVersion === 'string') {
    return new ReportError(file, 'this is a Kubernetes object; Trivy’s own JSON is read here', AGAIN);
  }
  if (value.SchemaVersion === undefined) {
    return new ReportError(file, 'not a report of Trivy: SchemaVersion is missing', AGAIN);
  }
  if (value.SchemaVersion === 1) return new ReportError(file, old, AGAIN);
  if (value.SchemaVersion !== 2)
    return new ReportError(
      file,
      'the report has a schema version that is not known here; version 2 is read',
      AGAIN,
    );
  return null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
