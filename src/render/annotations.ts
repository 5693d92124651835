import { printable } from '../base/index.ts';
import { FINDING_LEVELS, type Finding, type FindingLevel } from './findings.ts';

/** A step shows no more than this many of each level; what follows would be lost without a word. */
const MOST = 10;
const COMMANDS: Readonly<Record<FindingLevel, string>> = {
  error: 'error',
  warning: 'warning',
  note: 'notice',
};

/**
 * toAnnotations writes findings as workflow commands of GitHub Actions, errors first. Of more than ten of a level
 * the first nine are written, and the tenth says how many were left out.
 */
export function toAnnotations(findings: readonly Finding[]): string {
  return FINDING_LEVELS.flatMap((level) => {
    const all = findings.filter((finding) => finding.level === level);
    if (all.length <= MOST) return all.map(toCommand);
    const left = all.slice(MOST - 1);
    const [first] = left as [Finding];
    const message = `${left.length} more are not shown here: ${left.map(({ ruleId }) => printable(ruleId, 60)).join(', ')}`;
    return [...all.slice(0, MOST - 1), { ...first, ruleTitle: `${left.length} more`, message }].map(
      toCommand,
    );
  })
    .map((line) => `${line}\n`)
    .join('');
}

function toCommand({ level, file, line, column, ruleTitle, message }: Finding): string {
  const properties = [
    `file=${escapeProperty(file.replaceAll('\\', '/').replace(/^(\.\/+)+/, ''))}`,
    `line=${Math.max(1, line)}`,
    `col=${Math.max(1, column)}`,
    `title=${escapeProperty(ruleTitle)}`,
  ];
  return `::${COMMANDS[level]} ${properties.join(',')}::${escapeData(message)}`;
}

/** A line of our own messages ends with a newline; any other control character is shown. */
function escapeData(text: string): string {
  const lines = text
    .toWellFormed()
    .split('\n')
    .map((line) => printable(line, 4000));
  return lines.join('\n').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(printable(text, 1000)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
