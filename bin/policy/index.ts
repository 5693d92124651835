/**
 * `ipo policy`: policies in files, and in `stored/` those that a service has in effect.
 * It uses `check`, `files`, `service`, `terminal` and `whatif`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import { testCommand } from './test/index.ts';
import { storedPolicyCommands } from './stored/index.ts';

/** PolicyLintOptions are the flags of `ipo policy lint` as commander gives them. */
export interface PolicyLintOptions {
  readonly failOn: string;
  readonly against?: string;
  readonly output: readonly string[];
}

/** PolicyDiffOptions are the flags of `ipo policy diff`. */
export interface PolicyDiffOptions {
  readonly exitCode?: true;
  readonly output: readonly string[];
}

/** PolicyInitOptions are the flags of `ipo policy init`. */
export interface PolicyInitOptions {
  readonly out?: string;
  readonly force?: true;
  readonly enforce?: true;
  readonly namespaces?: string;
  readonly registries?: string;
  readonly output: readonly string[];
}

/** PolicyFmtOptions are the flags of `ipo policy fmt`. */
export interface PolicyFmtOptions {
  readonly write?: true;
  readonly check?: true;
  readonly output: readonly string[];
}

/** PolicySchemaOptions are the flags of `ipo policy schema`. */
export interface PolicySchemaOptions {
  readonly output: readonly string[];
}

/** listed is `ipo policy` in the help. */
export const listed: Listed = {
  name: 'policy',
  summary: 'check, compare, format, test, start, apply and read policies',
  group: 'Policies and decisions:',
  place: 3,
  answers: [
    ['What is wrong with this policy?', '`ipo policy lint FILE…`'],
    ['What does this edit change: tighter or looser?', '`ipo policy diff A B`'],
    ['Does it still decide as I meant?', '`ipo policy test DIR`'],
    ['How do I start?', '`ipo policy init` writes a policy with every field explained'],
    ['Which policy is in effect, and how do I change it?', '`ipo policy list`, `ipo policy apply FILE`'],
  ],
  examples: [
    'ipo policy lint policies/',
    'ipo policy lint policies/*.yaml -o table -o sarif=lint.sarif',
    'ipo policy lint shop.yaml --against ledger.ndjson.zst',
    'ipo policy diff shop.yaml draft.yaml',
    'git show main:shop.yaml | ipo policy diff - shop.yaml',
    'ipo policy fmt shop.yaml',
    'ipo policy fmt --check policies/',
    'ipo policy init > policy.yaml',
    'ipo policy init shop --namespaces cart,checkout --out shop.yaml',
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
    'Check, compare, format, test and start policies; read and write those that a service has in effect.',
  );
  for (const define of [lintCommand, diffCommand, fmtCommand, initCommand, testCommand, schemaCommand])
    policy.addCommand(define(settle));
  for (const command of storedPolicyCommands(settle)) policy.addCommand(command);
  return policy;
}

function lintCommand(settle: Settle): Command {
  const command = new Command('lint')
    .summary('find mistakes in policies, and rules that can never take effect')
    .description(
      'Reports what a policy file gets wrong, what can never work, and what contradicts over all files. Exit 1 with findings.',
    )
    .argument(
      '<file...>',
      'policy files (YAML or JSON, several documents each), or directories of them; - is stdin',
    )
    .addOption(
      wordOption('--fail-on <level>', 'the mildest level that exits 1: error, warning or notice').default(
        'warning',
      ),
    )
    .addOption(
      new Option(
        '--against <file>',
        'policies in effect, as a policy file or a ledger export: also tell what became looser',
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
    .summary('compare the meaning of two policies')
    .description(
      'Compares the meaning of two policy files, field by field, and says which change is tighter and which looser.',
    )
    .argument('<before>', 'policy file; - is stdin')
    .argument('<after>', 'policy file; - is stdin')
    .addOption(new Option('--exit-code', 'exit 1 when they differ'))
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
    .summary('write a policy in its canonical form')
    .description(
      'Puts fields in the order of the schema, with two spaces; comments stay and the revision never changes. Prints the result.',
    )
    .argument('<file...>', 'policy files, or directories of them; - is stdin')
    .addOption(
      new Option('-w, --write', 'write the files in place: all of them, or none when one is invalid'),
    )
    .addOption(new Option('--check', 'only list the files that would change, and exit 1 when there are any'))
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
    .summary('write a first policy')
    .description(
      'Writes a commented policy to begin with: it audits, so that nothing is refused before you say so.',
    )
    .argument('[name]', 'name of the policy', 'image-policy')
    .addOption(new Option('--out <file>', 'write it to a file instead of stdout'))
    .addOption(new Option('--force', 'overwrite the file if it is there'))
    .addOption(new Option('--enforce', 'refuse from the start'))
    .addOption(
      new Option('--namespaces <list>', 'namespaces to govern, as a,b; without it the whole cluster'),
    )
    .addOption(new Option('--registries <list>', 'registries to allow, as a,b; without it any'))
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
      'Prints the JSON Schema (draft 2020-12) of a policy, so that an editor completes and checks it.',
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
