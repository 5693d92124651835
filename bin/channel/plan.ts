import type { PlanBody } from '../../src/api/contract/tracking.ts';
import { counted } from '../../src/render/index.ts';
import { ANSWER_FORMATS, markdownLines, writeAnswer, type AnswerViews } from '../terminal/answer.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { assertTracker, findChannel, toName } from './find.ts';
import { factLines, type Fact } from '../terminal/fact-lines.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ChannelPlanOptions are the flags of `ipo channel plan`. */
export interface ChannelPlanOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** runChannelPlan is `ipo channel plan`. */
export async function runChannelPlan(
  which: string,
  options: ChannelPlanOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { name, failed, answer } = await withService(terminal, options, async (service) => {
    const { body } = await findChannel(service, which);
    assertTracker(body);
    const params = { id: body.id };
    const query = { channel: body.id, state: 'open', failed: true, limit: 1 };
    const { body: troubled } = await service.json<{ total: number }>('GET /tracking', { query });
    return {
      name: toName(body),
      failed: troubled.total,
      answer: await service.json<PlanBody>('GET /channels/{id}/plan', { params }),
    };
  });
  await writeAnswer(targets, answer, planViews(answer.body, name, failed), terminal, globals);
  return EXIT.done;
}

const COLUMNS = [
  { heading: '', text: ({ name }: Fact) => name },
  { heading: '', flex: 1, text: ({ value }: Fact) => value },
];

function planViews(plan: PlanBody, name: string, failed: number): AnswerViews {
  const facts: readonly Fact[] = [
    {
      name: 'channel',
      value: `${name}${plan.files ? '' : ' (it files nothing now: it is disabled, or not subscribed)'}`,
    },
    {
      name: 'waiting findings',
      value: `${counted(plan.candidates, 'critical finding')} that no channel has filed`,
    },
    ...(plan.alerts === 0
      ? []
      : [
          {
            name: 'runtime alerts',
            value: `${counted(plan.alerts, 'alert')} that no channel has filed; the next run opens ${counted(plan.alert_issues, 'issue')} for them, before findings`,
          },
        ]),
    { name: plan.first_run ? 'first run' : 'next run', value: nextRun(plan) },
    { name: 'cap', value: `${plan.opened} of ${plan.daily_cap} issues opened within 24 hours` },
    { name: 'until all are filed', value: untilDone(plan) },
    ...(failed === 0
      ? []
      : [
          {
            name: 'in trouble',
            value: `${counted(failed, 'finding')} of its own; ipo tracking list --failed`,
          },
        ]),
  ];
  return {
    table: (paint) => factLines(paint, facts),
    markdown: () => markdownLines(COLUMNS, facts),
  };
}

function nextRun({ issues, findings, summary }: PlanBody): string {
  if (issues === 0) return 'opens no issue';
  return summary
    ? `opens 1 summary issue of ${counted(findings, 'finding')}`
    : `opens ${counted(issues, 'issue')}, one for each finding`;
}

function untilDone({ candidates, days, waiting, issues_in_all }: PlanBody): string {
  if (candidates === 0) return 'nothing waits';
  if (waiting === 0) return 'one run';
  return `${counted(days, 'more day')} under the cap (${counted(issues_in_all, 'issue')} by this channel), if nothing new is found`;
}
