/**
 * `ipo scan`: scans brought in from where they were made.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { MARKED, outputOption } from '../terminal/output-option.ts';
import { withServiceFlags, type ServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';

/** ScanImportOptions are the flags of `ipo scan import`. */
export interface ScanImportOptions extends ServiceFlags {
  readonly dryRun?: true;
  readonly image?: string;
  readonly digest?: string;
  readonly dbUpdatedAt?: string;
  readonly trivyVersion?: string;
  readonly database?: string;
  readonly output: readonly string[];
}

/** listed is `ipo scan` in the help. */
export const listed: Listed = {
  name: 'scan',
  summary: 'import scan reports',
  group: 'Images and findings:',
  place: 4,
  examples: [
    'trivy image -f json --output report.json web:1.4 && ipo scan import report.json',
    'kubectl get vulnerabilityreports -A -o json | ipo scan import -',
    'ipo scan import reports/*.json --dry-run',
    'trivy version -f json > version.json; ipo scan import report.json --trivy-version version.json',
  ],
  define: scanCommand,
};

/** scanCommand defines `ipo scan` and what stands below it. */
function scanCommand(settle: Settle): Command {
  const scan = new Command('scan').description('Bring scans of images in from where they were made.');
  const command = withServiceFlags(new Command('import'))
    .summary('import reports of Trivy, trivy-operator or Grype')
    .description(
      'Tells of each report the image, its digest, operating system, end of life and findings by severity, and records it at a service or in a database. Reads reports of trivy (JSON), VulnerabilityReports of trivy-operator and reports of grype (JSON).',
    )
    .argument('<file...>', 'reports; - is stdin')
    .addOption(new Option('--dry-run', 'only tell what they say; needs no service'))
    .addOption(
      new Option(
        '--image <ref>',
        'the image that the one report is about, with its digest or as a further name',
      ),
    )
    .addOption(new Option('--digest <digest>', 'its digest, where the report does not say it'))
    .addOption(
      new Option(
        '--db-updated-at <time>',
        'when the database of the scanner was made (RFC 3339), where a report does not say it',
      ).conflicts('trivyVersion'),
    )
    .addOption(
      new Option(
        '--trivy-version <file>',
        'the same, from what trivy version --format json wrote where the image was scanned',
      ),
    )
    .addOption(
      new Option(
        '--database <url>',
        'record in a database instead: sqlite:PATH or postgres://USER@HOST:5432/NAME',
      ).conflicts('server'),
    )
    .addOption(outputOption(MARKED));
  command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runScanImport } = await import('./import.ts');
      return runScanImport(files, command.opts<ScanImportOptions>(), terminal, globals);
    })(),
  );
  return scan.addCommand(command);
}
