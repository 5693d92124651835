/**
 * `ipo runtime rule`: what is done with the events of the detector, at a service and in files.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import { oneOf } from '../../terminal/choice.ts';
import { emptyOr } from '../../terminal/word-option.ts';
import { PRIORITY_WORDS } from '../priorities.ts';
import type { RuleTestOptions } from './test.ts';
import type { RuleReadFlags, RuleDeleteFlags } from './verbs.ts';
import type { RuleMoveFlags, RuleAddFlags, RuleEditFlags } from './write.ts';
import type { RuleApplyFlags } from './apply.ts';

/** runtimeRuleCommand defines `ipo runtime rule` and what stands below it. */
export function runtimeRuleCommand(settle: Settle): Command {
  const rule = new Command('rule')
    .summary('list, add, edit, move, delete, apply and try runtime rules')
    .description(
      'List, test and change runtime rules, which decide what comes of each event of the detector. The first enabled rule that matches decides.',
    );
  for (const define of [list, show, add, edit, move, remove, apply, exported, test])
    rule.addCommand(define(settle));
  return rule;
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the rules in their order')
    .description('List the runtime rules of a service in the order in which they are tried.')
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runRuleList } = await import('./verbs.ts');
      return runRuleList(command.opts<RuleReadFlags>(), terminal);
    })(),
  );
}

function show(settle: Settle): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('print a rule')
    .description('Print a runtime rule as a document, ready to edit and to apply.')
    .argument('<name>', 'name of the rule')
    .addOption(outputOption('yaml or json', 'yaml'));
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runRuleShow } = await import('./verbs.ts');
      return runRuleShow(name, command.opts<RuleReadFlags>(), terminal);
    })(),
  );
}

function add(settle: Settle): Command {
  const command = withPlace(withContent(withServiceFlags(new Command('add')), 'record'))
    .summary('add a rule')
    .description('Add a runtime rule, behind all others unless a place is given.')
    .argument('<name>', 'name of the rule')
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runRuleAdd } = await import('./write.ts');
      return runRuleAdd(name, command.opts<RuleAddFlags>(), terminal);
    })(),
  );
}

function edit(settle: Settle): Command {
  const command = withContent(withServiceFlags(new Command('edit')), null)
    .summary('change a rule, and keep its place in the order')
    .description(
      'Change what the flags name, and nothing else. An empty value takes a part out of the rule: --tags "".',
    )
    .argument('<name>', 'name of the rule')
    .addOption(new Option('--rename <name>', 'new name of the rule'))
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runRuleEdit } = await import('./write.ts');
      return runRuleEdit(name, command.opts<RuleEditFlags>(), terminal);
    })(),
  );
}

function move(settle: Settle): Command {
  const command = withPlace(withServiceFlags(new Command('move')))
    .summary('move a rule to another place')
    .description(
      'Move a runtime rule to another place in the order. The first rule that matches an event decides.',
    )
    .argument('<name>', 'name of the rule')
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runRuleMove } = await import('./write.ts');
      return runRuleMove(name, command.opts<RuleMoveFlags>(), terminal);
    })(),
  );
}

function remove(settle: Settle): Command {
  const command = withServiceFlags(new Command('delete'))
    .summary('delete a rule')
    .description('Delete a runtime rule, after confirmation.')
    .argument('<name>', 'name of the rule')
    .addOption(new Option('-y, --yes', 'delete without asking for confirmation'))
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runRuleDelete } = await import('./verbs.ts');
      return runRuleDelete(name, command.opts<RuleDeleteFlags>(), terminal, globals);
    })(),
  );
}

function apply(settle: Settle): Command {
  const command = withServiceFlags(new Command('apply'))
    .summary('replace all rules with those of files, after showing the difference')
    .description(
      'Show how the RuntimeRules of files differ from the rules of the service: added, changed, moved and deleted. Then ask, and replace the whole list at once.',
    )
    .addOption(
      new Option(
        '-f, --file <file...>',
        'RuntimeRules documents (YAML or JSON), or directories of them, in their order; - is stdin',
      ),
    )
    .addOption(new Option('-y, --yes', 'apply without asking for confirmation'))
    .addOption(new Option('--dry-run', 'show the differences, and write nothing'))
    .addOption(new Option('--exit-code', 'with --dry-run: exit 1 when something would change'))
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runRuleApply } = await import('./apply.ts');
      return runRuleApply(command.opts<RuleApplyFlags>(), terminal, globals);
    })(),
  );
}

function exported(settle: Settle): Command {
  const command = withServiceFlags(new Command('export'))
    .summary('print all rules as a file that apply takes')
    .description('Print the rules of a service as one RuntimeRules document, ready to edit and to apply.')
    .addOption(outputOption('yaml or json', 'yaml'));
  return command.action(() =>
    settle(async (terminal) => {
      const { runRuleExport } = await import('./verbs.ts');
      return runRuleExport(command.opts<RuleReadFlags>(), terminal);
    })(),
  );
}

function test(settle: Settle): Command {
  const command = new Command('test')
    .summary('show which rule decides an event, and why')
    .description(
      'Show which rules and runtime policies of a file match an event. For the others, show the condition that does not match. A rule with a window is treated as if its count is reached.',
    )
    .argument('<file>', 'RuntimeRules and RuntimePolicy documents (YAML or JSON)')
    .addOption(new Option('--event <file>', 'one event as Falco writes it, in JSON; - is stdin'))
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal) => {
      const { runRuleTest } = await import('./test.ts');
      return runRuleTest(file, command.opts<RuleTestOptions>(), terminal);
    })(),
  );
}

function withPlace(command: Command): Command {
  return command
    .addOption(new Option('--before <rule>', 'place it before this rule').conflicts(['after', 'place']))
    .addOption(new Option('--after <rule>', 'place it after this rule').conflicts('place'))
    .addOption(new Option('--place <n>', 'place it at this number, from 1'));
}

/** `block` has an error of its own, by the service. */
function toAction(word: string): string {
  return word.toLowerCase() === 'block' ? 'block' : oneOf('--action', word, ['allow', 'record', 'notify']);
}

function withContent(command: Command, action: string | null): Command {
  const standard = action === null ? '' : ` (default: ${action})`;
  return command
    .addOption(new Option('--action <action>', `allow, record or notify${standard}`).argParser(toAction))
    .addOption(new Option('--detector-rules <list>', 'names of rules of the detector, as a,b'))
    .addOption(new Option('--tags <list>', 'tags, as a,b'))
    .addOption(
      emptyOr('--priority <priority>', 'this priority or a more severe one, such as Warning', PRIORITY_WORDS),
    )
    .addOption(new Option('--sources <list>', 'sources, such as syscall,k8s_audit'))
    .addOption(new Option('--namespaces <list>', 'namespaces of the pod, as a,b'))
    .addOption(
      new Option(
        '--field <test...>',
        'conditions on output fields, all of which must match: name=value, name=a|b for several, or name~pattern (RE2, the whole value)',
      ),
    )
    .addOption(
      emptyOr('--last-verdict <verdict>', 'last admission of the image: allowed, refused or none', [
        'allowed',
        'refused',
        'none',
      ]),
    )
    .addOption(new Option('--signed <bool>', 'whether a signature of the image was verified: true or false'))
    .addOption(
      new Option(
        '--window <count/duration>',
        'act when this many events came within this time, such as 3/10m',
      ),
    )
    .addOption(new Option('--throttle <duration>', 'at most one alert in this time, such as 1h'))
    .addOption(new Option('--enable', 'use the rule').conflicts('disable'))
    .addOption(new Option('--disable', 'keep the rule, but do not use it'));
}
