import { parse } from 'yaml';
import { exampleChannel, startFake, startInbox, VENDOR_LIMITS, type Inbox } from '../../../fakes/index.ts';
import { DemoTime, startRuntimeDemo, withMemoryDirectory, type DemoDecided } from '../../../src/app/index.ts';
import { counted, toYaml, wrapWords } from '../../../src/render/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openPaint, type Paint } from '../../terminal/paint.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { VERSION } from '../../terminal/version.ts';
import { readTaken } from '../notifications/read.ts';
import { IssueWatch } from '../trackers/watch.ts';
import { ACTS, POLICY, RULES, WORKLOADS } from './story.ts';

const INTRODUCTION =
  'Events of Falco in a made-up shop, and what comes of them. Rules, runtime policies, limits, outbox and texts are those of the service. The pods are in memory; the chat and GitHub are servers on this machine.';

/** runDemoRuntime is `ipo demo runtime`: events, an alert, stops of pods, and one that is withheld. */
export async function runDemoRuntime(terminal: Terminal, globals: GlobalOptions): Promise<ExitCode> {
  const paint = await openPaint({
    color: usesColor(terminal, globals, 'out'),
    columns: terminal.columns,
    whole: !terminal.tty.out,
  });
  const say = (line = '', indent = ''): void => {
    const room = paint.columns - indent.length;
    const lines = terminal.tty.out ? wrapWords(line, room) : [line];
    for (const one of lines.length === 0 ? [''] : lines) terminal.out(`${indent}${one}`.trimEnd() + '\n');
  };
  await withMemoryDirectory(async (directory) => {
    await using ends = new AsyncDisposableStack();
    const inbox = await startInbox();
    ends.defer(() => inbox.close());
    const time = new DemoTime();
    const fake = await startFake('github', { clock: time, limits: VENDOR_LIMITS.github });
    ends.defer(() => fake.close());
    const issues = new IssueWatch(fake);
    const demo = await startRuntimeDemo({
      directory,
      time,
      version: VERSION,
      webhookUrl: `${inbox.url}/slack`,
      tracker: parse(exampleChannel(fake)) as Record<string, unknown>,
      workloads: WORKLOADS,
    });
    ends.defer(() => demo.close());
    await demo.rules(RULES);
    await demo.policy(POLICY);
    say(INTRODUCTION);
    for (const { title, reports, sends } of ACTS) {
      say();
      say(paint.chalk.bold(title));
      for (const report of reports)
        for (const line of decidedLines(await demo.report(report), paint)) say(line, '  ');
      if (!sends) continue;
      await demo.send();
      for (const line of messageLines(inbox))
        say(line === '' ? '' : `${paint.chalk.dim('│')} ${line}`, '    ');
      for (const change of issues.changes()) {
        const { effect } = await demo.newest();
        say(`GitHub has an issue, ${change.name}: ${clean(change.title)}`, '    ');
        for (const line of change.text.split('\n'))
          if (line.trim() !== '') say(`${paint.chalk.dim('│')} ${clean(line, 200)}`, '    ');
        say(`The effect of the event is ${paint.chalk.yellow(effect ?? '')} now.`, '    ');
      }
    }
    say();
    say(
      'Try your own rules on events that Falco recorded: ipo runtime whatif rules.yaml --events falco.jsonl.',
    );
    say(
      'See what has most events: ipo runtime top --events falco.jsonl. Put rules in effect: ipo runtime rule apply -f rules.yaml.',
    );
  });
  return EXIT.done;
}

function decidedLines({ event, notices, draft }: DemoDecided, { chalk }: Paint): readonly string[] {
  const { rule, priority, namespace, pod, effect, matchedRule, policy, policyEffect, alerted } = event;
  let by = matchedRule === null ? '' : ` by rule "${matchedRule}"`;
  if (policy !== null) by = ` by policy ${policy}`;
  const did = policy === null ? (effect ?? '') : (policyEffect ?? '');
  const color = { allow: chalk.green, notify: chalk.yellow, stop: chalk.red, withheld: chalk.magenta }[did];
  return [
    `${chalk.dim('Falco:')} ${clean(`${priority} "${rule}" in ${namespace ?? '–'}/${pod ?? '–'}`)}`,
    `  → ${(color ?? String)(did)}${clean(by)}${alerted ? ', an alert' : ''}`,
    ...notices.map(
      ({ owner, message }) =>
        `  ${chalk.dim(`event on ${owner?.kind ?? 'Pod'} ${owner?.name ?? ''}:`)} ${clean(message, 400)}`,
    ),
    ...(draft === null
      ? []
      : [
          '  A draft of a policy that would deny the image at admission:',
          ...toYaml(draft)
            .trimEnd()
            .split('\n')
            .map((line) => `    ${chalk.dim(clean(line))}`),
        ]),
  ];
}

/** What the chat got, or that it got nothing. */
function messageLines(inbox: Inbox): readonly string[] {
  const taken = inbox.taken.splice(0);
  const lines = taken.flatMap(readTaken).map((line) => clean(line, 1000));
  return lines.length === 0
    ? ['The channel got no message.']
    : [`The channel got ${counted(taken.length, 'message')}:`, ...lines];
}
