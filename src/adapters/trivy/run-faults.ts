import { printable } from '../../base/index.ts';
import { ScannerError } from '../../scan/index.ts';
import { crashReasonIn, registryReasonIn, scannerFault, type ProgramError } from '../program/index.ts';

/**
 * What the registry said, or the way to it: of one image. It takes precedence over the rest, since a registry may say whatever it likes.
 */
const IMAGE = /remote error:|unable to find the specified image|no child with platform/i;

/**
 * What Trivy says while it looks at one image. The builder of the image chose the names of its files and what its registry says of a layer,
 * and can fill the disk by it. So none of it counts as an error of the scanner, for which all others would wait.
 */
const ANALYSIS = /failed analysis:|analyze error:|failed to analyze layer/i;

/** Characters that Trivy has to say of itself; an answer of a registry can be so long that nothing before it is left. */
const MAX_OWN = 8000;

/** What Trivy says where no other scan would fare better: its database, its cache, its server, the disk, its version. */
const SCANNER =
  /skip-(?:db-)?update cannot|first run cannot skip downloading (?:vulnerability )?DB|vulnerability DB|failed to (?:open|initialize) .{0,20}DB|may be in use by another process|no space left on device|twirp error|unknown (?:flag|command)/i;

/** toFault says why a run of Trivy came to nothing. No secret stands in what it says. */
export function toFault(error: ProgramError, program: string, secrets: readonly string[]): ScannerError {
  return scannerFault(error, {
    product: 'Trivy',
    program,
    said: error.said === '' ? '' : lineOf(error.said, secrets, 2000),
    failed(cause) {
      const said = lineOf(error.said, secrets, 4000);
      const fault = kindOf(error.said, said);
      const hint = fault === 'late' ? { hint: 'Raise scanner.timeout' } : {};
      // What the registry said stands behind all that came of it, and would be the first to be cut.
      const words = fault === 'image' ? (/remote error:\s*(\S.*)$/.exec(said)?.[1] ?? said) : said;
      return new ScannerError(
        fault,
        `trivy failed: ${words === '' ? error.message : printable(words, 400)}`,
        {
          ...hint,
          cause,
          ...(fault === 'image' && { reason: registryReasonIn(error.said) }),
          ...(fault === 'failed' && { reason: crashReasonIn(error.said, error.message) }),
        },
      );
    },
  });
}

/** Judged by the line that says it, and by all that was said: a line of a registry's answer can look like the one that matters. */
function kindOf(all: string, line: string): 'image' | 'scanner' | 'late' | 'failed' {
  if (IMAGE.test(all)) return 'image';
  if (all.length <= MAX_OWN && !ANALYSIS.test(all) && SCANNER.test(line)) return 'scanner';
  return /context deadline exceeded|analyze error: timeout/i.test(line) ? 'late' : 'failed';
}

/** The line that says it: the last fatal one, else the last. */
function lineOf(said: string, secrets: readonly string[], max: number): string {
  let text = said;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[redacted]');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.findLastIndex((line) => line.includes('FATAL'));
  // What Go says of a program that broke down; the stack behind it says nothing to people.
  const broken = lines.find((line) => /^(?:panic|fatal error):/.test(line));
  // What follows a fatal line belongs to it.
  const told = broken === undefined ? lines.slice(-1) : [broken];
  const words = (fatal === -1 ? told : lines.slice(fatal)).join(' ').replaceAll(/\s+/g, ' ').trim();
  return printable(words.replace(/^\S+\s+FATAL\s+(?:Fatal error\s+)?/, ''), max);
}
