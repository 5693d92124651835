import { printable, sha256Hex } from '../base/index.ts';
import { fileUri } from './file-uri.ts';
import type { Finding } from './findings.ts';

/** SarifRun says what made the findings. */
export interface SarifRun {
  /** Version of the program. */
  readonly version: string;
  /** Tells runs over one commit apart (`ipo-whatif/prod`): a platform replaces results of the same category. */
  readonly category: string;
  /** Figures of the whole run. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * toSarif writes findings as a SARIF 2.1.0 log with one run. Relative paths stay relative, to the root of the
 * checkout. A finding keeps its fingerprint while rule, file and identity stay.
 */
export function toSarif(findings: readonly Finding[], { version, category, properties }: SarifRun): string {
  const ids = [...new Set(findings.map(({ ruleId }) => ruleId))];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'ipo', version, rules: ids.map((id) => toRule(id, findings)) } },
        automationDetails: { id: `${printable(category)}/` },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true }],
        results: findings.map((finding) => toResult(finding, ids.indexOf(finding.ruleId))),
        ...(properties && { properties }),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function toRule(id: string, findings: readonly Finding[]): unknown {
  const first = findings.find(({ ruleId }) => ruleId === id);
  const title = first?.ruleTitle ?? id;
  return {
    id: printable(id),
    shortDescription: { text: plain(title) },
    fullDescription: { text: plain(first?.ruleHelp ?? title) },
    help: { text: plain(first?.ruleHelp ?? title) },
    defaultConfiguration: { level: first?.level ?? 'warning' },
  };
}

function toResult(finding: Finding, ruleIndex: number): unknown {
  const { ruleId, level, message, file, line, column, identity = message, properties } = finding;
  const uri = fileUri(file);
  return {
    ruleId: printable(ruleId),
    ruleIndex,
    level,
    message: { text: plain(message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: uri.startsWith('file:') ? { uri } : { uri, uriBaseId: '%SRCROOT%' },
          region: { startLine: Math.max(1, line), startColumn: Math.max(1, column) },
        },
      },
    ],
    partialFingerprints: { 'ipoFinding/v1': sha256Hex(JSON.stringify([ruleId, uri, identity])) },
    ...(properties && { properties }),
  };
}

/** A newline is one of our own. A message can hold placeholders in braces and links in brackets; ours hold neither, and foreign text may not. */
function plain(text: string): string {
  const lines = text
    .toWellFormed()
    .split('\n')
    .map((line) => printable(line, 4000));
  return lines.join('\n').replace(/[{}]/g, '$&$&').replaceAll('](', '] (');
}
