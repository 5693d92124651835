/**
 * `ipo scan`: scans brought in from where they were made.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { MARKED, outputOption } from '../terminal/output-option.ts';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { ScanImportOptions } from './import.ts';

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
  const scan = new Command('scan').description('Import scan reports of images.');
  const command = withServiceFlags(new Command('import'))
    .summary('import reports of Trivy, trivy-operator or Grype')
    .description(
      'Record scan reports at a service or in a database, and print the image, digest, operating system, end of life and findings by severity of each. Reads Trivy JSON, VulnerabilityReports of trivy-operator, and Grype JSON.',
    )
    .argument('<file...>', 'reports; - is stdin')
    .addOption(new Option('--dry-run', 'only print the content of the reports; needs no service'))
    .addOption(
      new Option(
        '--image <ref>',
        'image of the report: NAME@sha256:… for a report without a digest; a name without a digest is stored as an additional name',
      ),
    )
    .addOption(new Option('--digest <digest>', 'digest of the image, if the report has none'))
    .addOption(
      new Option(
        '--db-updated-at <time>',
        'time at which the database of the scanner was made (RFC 3339), if a report does not state it',
      ).conflicts('trivyVersion'),
    )
    .addOption(
      new Option(
        '--trivy-version <file>',
        'the same, from the output of trivy version --format json on the machine that scanned',
      ),
    )
    .addOption(
      new Option(
        '--database [url]',
        'record in a database instead: sqlite:PATH or postgres://USER@HOST:5432/NAME (default address: IPO_DATABASE, then IPO_DATABASE_URL)',
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
