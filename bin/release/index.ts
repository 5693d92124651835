/**
 * `ipo release`: the releases of the service, and whether an image, or a file, is of one.
 * It uses `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { ReleaseOptions } from './print.ts';
import type { ReleaseVerifyOptions } from './verify.ts';

/** listed is `ipo release` in the help. */
export const listed: Listed = {
  name: 'release',
  summary: 'list releases and their changes, and verify the files of a release',
  group: 'The service:',
  place: 6,
  examples: [
    'ipo release list',
    'ipo release show 1.2.0 -o json',
    'ipo release notes 1.3.1..1.3.7',
    'ipo release verify release/ipo-1.4.0-linux-amd64.tar.gz --key release/ipo.pub',
    'ipo release verify registry.example.com/ipo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef --key release.pub',
  ],
  define: releaseCommand,
};

/** releaseCommand defines `ipo release` and what stands below it. */
function releaseCommand(settle: Settle): Command {
  const release = new Command('release').description(
    'List releases with what they changed, and verify an image or a file of one. The catalogue is part of this program; only verify calls a registry.',
  );
  for (const define of [list, show, notes, verify]) release.addCommand(define(settle));
  return release;
}

function list(settle: Settle): Command {
  const command = new Command('list')
    .summary('list all releases, the newest first')
    .description('List all releases that this program knows, the newest first.')
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runReleaseList } = await import('./print.ts');
      return runReleaseList(command.opts<ReleaseOptions>(), terminal);
    }),
  );
}

function show(settle: Settle): Command {
  const command = new Command('show')
    .summary('show one release')
    .description('Show what one release changed, its migrations, and what to know before an upgrade to it.')
    .argument('<version>', 'version of the release, such as 1.3.7')
    .addOption(outputOption());
  return command.action((version: string) =>
    settle(async (terminal) => {
      const { runReleaseShow } = await import('./print.ts');
      return runReleaseShow(version, command.opts<ReleaseOptions>(), terminal);
    })(),
  );
}

function notes(settle: Settle): Command {
  const command = new Command('notes')
    .summary('print the notes of the releases between two versions')
    .description(
      'Print the notes of the releases after FROM up to and including TO, the newest first: what is new after an upgrade from FROM to TO.',
    )
    .argument('<from..to>', 'two versions, such as 1.3.1..1.3.7; without TO, up to the newest release')
    .addOption(outputOption('markdown, table, json or yaml', 'markdown'));
  return command.action((range: string) =>
    settle(async (terminal) => {
      const { runReleaseNotes } = await import('./print.ts');
      return runReleaseNotes(range, command.opts<ReleaseOptions>(), terminal);
    })(),
  );
}

function verify(settle: Settle): Command {
  const many = (flags: string, text: string) => new Option(flags, text).argParser(collect);
  const command = new Command('verify')
    .summary('verify signatures and provenance of an image or a file')
    .description(
      'Verify what is attached to the digest of an image: the signature by the published key, the keyless signature of the build, and an SBOM and provenance signed by the key or by the build. A tag is not verified, since it can be moved: the error has the digest that the tag points to now. A file is verified by the list of sums in its directory (SHA256SUMS) or the one of --sums, which must be signed in the same way.',
    )
    .argument('<image-or-file>', 'image by digest (ghcr.io/acme/ipo@sha256:…), or a file of a release')
    .addOption(new Option('--key <file>', 'PEM file with the published key of the required signer'))
    .addOption(new Option('--identity <text>', 'identity that must have made the keyless signature'))
    .addOption(
      new Option('--identity-regexp <pattern>', 'pattern (RE2) for the whole identity').conflicts('identity'),
    )
    .addOption(
      new Option(
        '--issuer <url>',
        'issuer of that identity, such as https://token.actions.githubusercontent.com',
      ),
    )
    .addOption(
      new Option(
        '--sums <file>',
        'list of sums of a file (default: SHA256SUMS in the directory of the file)',
      ),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 when a signature is unvouched: it exists, but you gave no --key or --identity to verify it with',
      ),
    )
    .addOption(outputOption());
  const registries = [
    new Option(
      '--trust-root <file>',
      'file trusted_root.json for keyless signatures (default: the one of Sigstore, fetched by TUF)',
    ),
    many('--insecure-registry <host>', 'host:port of a registry to call by plain HTTP; repeatable'),
    new Option('--registry-ca <file>', 'PEM file of additional certificate authorities for registries'),
    new Option('--registry-timeout <duration>', 'how long the registry may take').default('60s'),
  ];
  for (const option of registries) command.addOption(option.helpGroup('Registries:'));
  return command.action((named: string) =>
    settle(async (terminal, globals) => {
      const { runReleaseVerify } = await import('./verify.ts');
      return runReleaseVerify(named, command.opts<ReleaseVerifyOptions>(), terminal, globals);
    })(),
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
