import type { Finding } from './findings.ts';
import { escapeXml, escapeXmlLines } from './xml.ts';

/** JUnitCase is one test of a suite. Text is plain; a newline in `text` and `output` stays one. */
export interface JUnitCase {
  readonly name: string;
  /** What it belongs to: a file, an image. */
  readonly classname: string;
  /** The test has failed. */
  readonly failure?: { readonly type: string; readonly message: string; readonly text: string };
  /** What a passed test has to say. */
  readonly output?: string;
}

/** JUnitSuite is what `toJUnit` writes. */
export interface JUnitSuite {
  readonly name: string;
  readonly cases: readonly JUnitCase[];
  readonly properties?: Readonly<Record<string, string | number>>;
}

/** toJUnit writes one test suite as JUnit XML. No times: the same input gives the same bytes. */
export function toJUnit({ name, cases, properties = {} }: JUnitSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const totals = `name="${escapeXml(name)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`;
  const entries = Object.entries(properties).map(
    ([key, value]) => `      <property name="${escapeXml(key)}" value="${escapeXml(String(value))}"/>\n`,
  );
  const noted = entries.length === 0 ? '' : `    <properties>\n${entries.join('')}    </properties>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${totals}>
  <testsuite ${totals}>
${noted}${cases.map(toCase).join('')}  </testsuite>
</testsuites>
`;
}

/**
 * findingCases gives a case for each finding (an error has failed, the others say what they have to say) and a
 * passed one for each file without any.
 */
export function findingCases(findings: readonly Finding[], files: readonly string[]): JUnitCase[] {
  const silent = files.filter((file) => !findings.some((finding) => finding.file === file));
  return [
    ...findings.map(({ ruleId, ruleTitle, level, message, file, line, column }) => {
      const text = `${file}:${line}:${column}: ${message}`;
      const about = { name: `${ruleId} at ${line}:${column}`, classname: file };
      return level === 'error'
        ? { ...about, failure: { type: ruleId, message: ruleTitle, text } }
        : { ...about, output: `${level}: ${text}` };
    }),
    ...silent.map((file) => ({ name: 'no findings', classname: file })),
  ];
}

function toCase({ name, classname, failure, output }: JUnitCase): string {
  const open = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(classname)}"`;
  const inside = [
    failure &&
      `      <failure type="${escapeXml(failure.type)}" message="${escapeXml(failure.message)}">${escapeXmlLines(failure.text)}</failure>\n`,
    output !== undefined && `      <system-out>${escapeXmlLines(output)}</system-out>\n`,
  ].filter(Boolean);
  return inside.length === 0 ? `${open}/>\n` : `${open}>\n${inside.join('')}    </testcase>\n`;
}
