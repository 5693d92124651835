/**
 * `ipo policy`: policies in files, and in `stored/` those that a service has in effect.
 * It uses `check`, `files`, `service`, `terminal` and `whatif`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import { importCommand } from './import/index.ts';
import { suggestCommand } from './suggest/index.ts';
import { testCommand } from './test/index.ts';
import { storedPolicyCommands } from './stored/index.ts';
import type { PolicyLintOptions } from './lint.ts';
import type { PolicyDiffOptions } from './diff.ts';
import type { PolicyInitOptions } from './init.ts';
import type { PolicyFmtOptions } from './fmt.ts';
import type { PolicySchemaOptions } from './schema.ts';

/** listed is `ipo policy` in the help. */
export const listed: Listed = {
  name: 'policy',
  summary: 'suggest, import, lint, compare, test, apply and show policies',
  group: 'Policies and decisions:',
  place: 3,
  answers: [
    ['What is wrong with this policy?', '`ipo policy lint FILE…`'],
    ['What does this edit change: tighter or looser?', '`ipo policy diff A B`'],
    ['Does a policy still decide as I expect?', '`ipo policy test DIR`'],
    ['How do I start?', '`ipo policy init` writes a policy with every field explained'],
    ['Which policy is in effect, and how do I change it?', '`ipo policy list`, `ipo policy apply FILE`'],
  ],
  examples: [
    'ipo policy lint policies/',
    'ipo policy lint policies/ -o table -o sarif=lint.sarif',
    'ipo policy lint shop.yaml --against ledger.ndjson.zst',
    'ipo policy diff shop.yaml draft.yaml',
    'git show main:shop.yaml | ipo policy diff - shop.yaml',
    'ipo policy fmt shop.yaml',
    'ipo policy fmt --check policies/',
    'ipo policy init > policy.yaml',
    'ipo policy init shop --namespaces cart,checkout --out shop.yaml',
    'ipo policy suggest --ledger cluster.ndjson.gz > policy.yaml',
    'ipo policy suggest -l ledger.ndjson.zst --base policy.yaml --tolerate 0.5% --explain severityThreshold',
    'ipo policy import kyverno.yaml constraint.yaml > policies.yaml',
    'ipo policy import restrict-image-registries.yaml | ipo whatif - --ledger cluster.ndjson.gz',
    'ipo policy test policies/ --coverage',
    'ipo policy test policies/ -o junit=policy-tests.xml',
    'ipo policy test --record registry.example.com/prod/web:1.4 -p shop.yaml --ledger ledger.ndjson.zst',
    'ipo policy schema -o json=image-policy.schema.json',
    'ipo policy list',
    'ipo policy revisions shop',
    'ipo policy get shop > shop.yaml',
    'ipo policy apply shop.yaml',
    'ipo policy apply policies/ --dry-run --exit-code',
    'ipo policy delete shop --yes',
    'ipo policy whatif shop --days 7',
  ],
  define: policyCommand,
};

/** policyCommand defines `ipo policy` and what stands below it. */
function policyCommand(settle: Settle): Command {
  const policy = new Command('policy').description(
    'Lint, compare, format, test and create policies; show and apply those in effect at a service.',
  );
  for (const define of [
    lintCommand,
    diffCommand,
    fmtCommand,
    initCommand,
    suggestCommand,
    importCommand,
    testCommand,
    schemaCommand,
  ])
    policy.addCommand(define(settle));
  for (const command of storedPolicyCommands(settle)) policy.addCommand(command);
  return policy;
}

function lintCommand(settle: Settle): Command {
  const command = new Command('lint')
    .summary('find mistakes in policies, and rules that can never apply')
    .description(
      'Report mistakes in policy files, rules that can never apply, and contradictions between files. Exit 1 when there is an error or a warning.',
    )
    .argument(
      '<file...>',
      'policy files (YAML or JSON, several documents each), or directories of them; - is stdin',
    )
    .addOption(
      wordOption('--fail-on <level>', 'lowest level that exits 1: error, warning or notice').default(
        'warning',
      ),
    )
    .addOption(
      new Option(
        '--against <file>',
        'policies in effect (a policy file or a ledger export): also report what became looser',
      ),
    )
    .addOption(outputOption('table, json, sarif, junit or github'));
  return command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runPolicyLint } = await import('./lint.ts');
      return runPolicyLint(files, command.opts<PolicyLintOptions>(), terminal, globals);
    })(),
  );
}

function diffCommand(settle: Settle): Command {
  const command = new Command('diff')
    .summary('compare two policies by meaning')
    .description(
      'Compare two policy files by meaning, field by field, and show which changes are tighter or looser.',
    )
    .argument('<before>', 'policy file; - is stdin')
    .argument('<after>', 'policy file; - is stdin')
    .addOption(new Option('--exit-code', 'exit 1 when the policies differ'))
    .addOption(outputOption('table, json, yaml or markdown'));
  return command.action((before: string, after: string) =>
    settle(async (terminal, globals) => {
      const { runPolicyDiff } = await import('./diff.ts');
      return runPolicyDiff(before, after, command.opts<PolicyDiffOptions>(), terminal, globals);
    })(),
  );
}

function fmtCommand(settle: Settle): Command {
  const command = new Command('fmt')
    .summary('format policies')
    .description(
      'Print a policy with fields in the order of the schema and two spaces of indentation. Comments and the revision stay the same.',
    )
    .argument('<file...>', 'policy files, or directories of them; - is stdin')
    .addOption(new Option('-w, --write', 'change the files: all of them, or none when one is invalid'))
    .addOption(new Option('--check', 'only list the files that would change; exit 1 if there are any'))
    .addOption(outputOption());
  return command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runPolicyFmt } = await import('./fmt.ts');
      return runPolicyFmt(files, command.opts<PolicyFmtOptions>(), terminal, globals);
    })(),
  );
}

function initCommand(settle: Settle): Command {
  const command = new Command('init')
    .summary('write a starter policy')
    .description(
      'Write a commented starter policy. The policy only audits: nothing is denied until you set its enforcement to Enforce.',
    )
    .argument('[name]', 'name of the policy', 'image-policy')
    .addOption(new Option('--out <file>', 'write the policy to a file instead of stdout'))
    .addOption(new Option('--force', 'overwrite an existing file'))
    .addOption(new Option('--enforce', 'set enforcement to Enforce, which denies from the start'))
    .addOption(new Option('--namespaces <list>', 'namespaces to govern, as a,b (default: the whole cluster)'))
    .addOption(new Option('--registries <list>', 'registries to allow, as a,b (default: any)'))
    .addOption(outputOption('yaml or json', 'yaml'));
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runPolicyInit } = await import('./init.ts');
      return runPolicyInit(name, command.opts<PolicyInitOptions>(), terminal, globals);
    })(),
  );
}

function schemaCommand(settle: Settle): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of a policy, for editors')
    .description(
      'Print the JSON Schema (draft 2020-12) of a policy, so that editors can complete and check policies.',
    )
    .addOption(outputOption('json', 'json'))
    .addHelpText(
      'after',
      '\nIn a policy file, for editors with a YAML language server:\n  # yaml-language-server: $schema=image-policy.schema.json',
    );
  return command.action(() =>
    settle(async (terminal) => {
      const { runPolicySchema } = await import('./schema.ts');
      return runPolicySchema(command.opts<PolicySchemaOptions>(), terminal);
    })(),
  );
}
