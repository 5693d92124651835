/**
 * `ipo images`: how the images of the cluster stand.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { MARKED, outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { ImageListOptions, ImageShowOptions, ImageScanOptions } from './verbs.ts';

/** listed is `ipo images` in the help. */
export const listed: Listed = {
  name: 'images',
  summary: 'show the images of the cluster and their states',
  group: 'Images and findings:',
  place: 1,
  answers: [['What runs, and what is wrong with it?', '`ipo images list`, `ipo vulns`, `ipo triage add`']],
  examples: [
    'ipo images list',
    "ipo images list --filter 'Not compliant'",
    'ipo images show ghcr.io/acme/web:1.4',
    'ipo images scan --unscanned',
  ],
  define: imagesCommand,
};

/** imagesCommand defines `ipo images` and what stands below it. */
function imagesCommand(settle: Settle): Command {
  const images = new Command('images').description(
    'Show the images of the cluster and their states, and request scans.',
  );
  for (const define of [list, show, scan]) images.addCommand(define(settle));
  return images;
}

function list(settle: Settle): Command {
  const command = withPaging(
    withServiceFlags(new Command('list'))
      .summary('list images: blocked, unscanned, compliant or not compliant')
      .description(
        'List images with their states. Each image is in exactly one of four states; the counts come first.',
      )
      .addOption(
        new Option(
          '--filter <state>',
          "images in this state: Blocked, Unscanned, Compliant or 'Not compliant'",
        ),
      )
      .addOption(new Option('--search <text>', 'text in the name or the digest'))
      .addOption(
        wordOption(
          '--sort <order>',
          'attention, name, severity, findings, last_seen or scanned (default: attention)',
          ['attention', 'name', 'severity', 'findings', 'last_seen', 'scanned'],
        ),
      )
      .addOption(
        wordOption('--order <direction>', 'asc or desc (default: asc for names, desc for the rest)', [
          'asc',
          'desc',
        ]),
      ),
    'images',
  );
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runImageList } = await import('./verbs.ts');
      return runImageList(command.opts<ImageListOptions>(), terminal, globals);
    })(),
  );
}

function show(settle: Settle): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('show an image, and how its next admission would be decided')
    .description(
      'Show why an image is in its state, where it was seen, the current verdict of each policy, and its findings.',
    )
    .argument('<image>', 'image: its digest, or a part of its digest or name')
    .addOption(outputOption(MARKED));
  return command.action((image: string) =>
    settle(async (terminal, globals) => {
      const { runImageShow } = await import('./verbs.ts');
      return runImageShow(image, command.opts<ImageShowOptions>(), terminal, globals);
    })(),
  );
}

function scan(settle: Settle): Command {
  const command = withServiceFlags(new Command('scan'))
    .summary('request scans')
    .description('Queue images for a scan. Exit 1 when one of them is unknown.')
    .argument('[image...]', 'digests, or parts of names')
    .addOption(new Option('--unscanned', 'all images that were never scanned'))
    .addOption(outputOption(MARKED));
  return command.action((images: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runImageScan } = await import('./verbs.ts');
      return runImageScan(images, command.opts<ImageScanOptions>(), terminal, globals);
    })(),
  );
}
