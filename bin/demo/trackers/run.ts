import { startFake, VENDOR_LIMITS, type FakeKind } from '../../../fakes/index.ts';
import type { SummaryBody, TrackingBody } from '../../../src/api/contract/tracking.ts';
import { DemoTime, startTrackerDemo, withMemoryDirectory } from '../../../src/app/index.ts';
import { counted } from '../../../src/render/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { shortMoment } from '../../terminal/rows.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { openPaint, type Paint } from '../../terminal/paint.ts';
import { VERSION } from '../../terminal/version.ts';
import { playStory, type Told } from './story.ts';
import type { IssueChange } from './watch.ts';

/** DemoTrackersFlags are the flags of `ipo demo trackers`. */
export interface DemoTrackersFlags {
  readonly tracker: FakeKind;
  readonly texts?: true;
}

/** Jira's search learns of a change after this many milliseconds. */
const LAG = 15_000;

/** runDemoTrackers is `ipo demo trackers`: the whole life of issues, against a tracker that is played on this machine. */
export async function runDemoTrackers(
  { tracker: kind, texts }: DemoTrackersFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const paint = await openPaint({
    color: usesColor(terminal, globals, 'out'),
    columns: terminal.columns,
    whole: !terminal.tty.out,
  });
  const say = (line: string): void => terminal.out(`${line}\n`);
  await withMemoryDirectory(async (directory) => {
    await using ends = new AsyncDisposableStack();
    const time = new DemoTime();
    const clock = { now: () => time.now() };
    const fake = await startFake(kind, { clock, lagMs: LAG, limits: VENDOR_LIMITS[kind] });
    ends.defer(() => fake.close());
    const service = await startTrackerDemo({ directory, time, version: VERSION, write: () => {} });
    ends.defer(() => service.close());
    for (const line of opening(kind, fake.url)) say(line);
    await playStory({
      service,
      fake,
      time,
      tell: (told) => {
        for (const line of linesOf(told, paint, texts === true)) say(line);
      },
    });
    for (const line of ending(fake.state.issues.length, fake.violations)) say(line);
  });
  return EXIT.done;
}

function opening(kind: FakeKind, url: string): readonly string[] {
  return [
    `The service and a ${kind} tracker, both on this machine (${url}), and the images of a made-up shop.`,
    'The clock is moved forward. Every issue, comment and closing below is read back from the tracker.',
  ];
}

function linesOf(told: Told, paint: Paint, texts: boolean): readonly string[] {
  switch (told.kind) {
    case 'act':
      return [
        '',
        `${paint.chalk.dim(shortMoment(new Date(told.at).toISOString()))}  ${paint.chalk.bold(told.title)}`,
      ];
    case 'issue':
      return issueLines(told.change, paint, texts);
    case 'rows':
      return rowLines(told.rows, paint);
    case 'summary':
      return [`  ${summaryLine(told.summary, paint)}`];
  }
}

function issueLines({ what, name, title, text }: IssueChange, { chalk }: Paint, texts: boolean): string[] {
  const color = { closed: chalk.green, opened: chalk.yellow }[what as string] ?? String;
  const verb = color(what);
  const shown = texts || what !== 'opened' ? text.split('\n') : [];
  return [
    `  ${name}  ${verb}  ${clean(title)}`,
    ...shown.flatMap((line) => (line.trim() === '' ? [] : [`      ${chalk.dim(`│ ${clean(line)}`)}`])),
  ];
}

function rowLines(rows: readonly TrackingBody[], { chalk }: Paint): string[] {
  const width = Math.max(...rows.map(({ reason }) => (reason ?? '').length));
  return rows.map(
    ({ cve, reason, image, issue }) =>
      `  ${chalk.cyan((reason ?? '').padEnd(width))}  ${clean(cve ?? '')}  ${clean(image ?? '')}  ${clean(issue?.key ?? '')}`,
  );
}

function summaryLine(
  { remediation, opened, closed, fixed_inside, still_open }: SummaryBody,
  { chalk }: Paint,
): string {
  const { state, sentence } = remediation;
  const painted = { met: chalk.green, partial: chalk.yellow, gap: chalk.red }[state](state);
  const parts = [
    `${opened} raised`,
    `${closed.fixed} fixed${fixed_inside === null || closed.fixed === 0 ? '' : ` (${fixed_inside} inside)`}`,
    `${closed.triaged} triaged`,
    `${closed.image_retired} retired`,
    `${still_open} open`,
  ];
  return `remediation windows: ${painted}. ${sentence} ${chalk.dim(parts.join(', '))}`;
}

function ending(issues: number, violations: readonly string[]): readonly string[] {
  return [
    '',
    `${counted(issues, 'issue')} for nine findings. Each was opened once, got one comment per sweep with news, and was closed once.`,
    ...violations.map((violation) => `The tracker received invalid calls: ${violation}`),
    'Create your own channel: ipo channel setup. Preview what it would file: ipo channel plan, ipo channel preview.',
  ];
}
