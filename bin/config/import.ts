import type { ImportedBody } from '../../src/api/contract/configuration.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import { documentDifference } from '../terminal/document-difference.ts';
import { inEffectNote } from '../policy/stored/in-effect.ts';
import { findStored, toPlan } from '../policy/stored/plan.ts';
import { showPlan } from '../policy/stored/show-plan.ts';
import { withService } from '../service/client.ts';
import { clean } from '../terminal/clean.ts';
import { confirm, holdConfirmable } from '../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { atTheirPlaces, readBundleFile } from './read-bundle.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ConfigImportOptions are the flags of `ipo config import`. */
export interface ConfigImportOptions extends ServiceFlags {
  readonly dryRun?: true;
  readonly prune?: true;
  readonly yes?: true;
  readonly whatif: boolean;
  readonly output: readonly string[];
}

type Item = ImportedBody['items'][number];

/** Told is an object of the difference: in words, and its what-if as `ipo whatif -o json` has it. */
interface Told {
  readonly text: string;
  readonly whatIf?: unknown;
}

/** runConfigImport is `ipo config import`: compare, show, ask, import exactly what was shown. */
export async function runConfigImport(
  file: string,
  options: ConfigImportOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const asks = options.dryRun !== true;
  const outcome = openOutcome(options.output, terminal);
  const bundle = await readBundleFile(file, terminal);
  if (asks)
    holdConfirmable(
      terminal,
      options.yes === true,
      'ipo config import',
      ', or --dry-run to see the difference',
    );
  const documents = bundle.documents.map(({ value }) => value);
  return withService(terminal, options, async (service) => {
    const call = (more: object) =>
      service
        .json<ImportedBody>('POST /config/import', {
          body: { documents, prune: options.prune === true, ...more },
        })
        .catch((error: unknown) => {
          throw atTheirPlaces(error, bundle);
        });
    const { body: seen } = await call({ dry_run: true });
    const told = new Map<Item, Told>();
    for (const item of seen.items) told.set(item, await show(item, service));
    const difference = `${[...told.values()].map(({ text }) => text).join('')}${summary(seen)}\n`;
    if (!asks || seen.changed === 0) {
      await outcome.write(bodyOf(seen, told), difference);
      return asks || seen.changed === 0 ? EXIT.done : EXIT.check;
    }
    if (options.yes !== true) {
      terminal.err(difference);
      const what = counted(seen.changed, 'change', 'changes');
      if (!(await confirm(`Import ${what} into ${service.server}?`, terminal))) {
        if (!globals.quiet) terminal.err('ipo: nothing was imported\n');
        return EXIT.check;
      }
    }
    const { body, headers } = await call({ difference: seen.difference });
    const lines = body.items.flatMap((item) => appliedLine(item) ?? []);
    const text = `${options.yes === true ? difference : ''}${lines.join('')}`;
    await outcome.write(
      bodyOf(body, told),
      `${text}${body.complete ? `imported${inEffectNote(headers)}\n` : ''}`,
    );
    if (body.complete) return EXIT.done;
    if (!globals.quiet)
      terminal.err('ipo: the objects above that were not applied are as before; import the file again\n');
    return EXIT.outside;
  });

  async function show(item: Item, service: ServiceClient): Promise<Told> {
    const name = clean(item.name);
    const notes = item.notes.map((note) => `  note: ${clean(note, 500)}\n`).join('');
    if (item.change === 'unchanged') return { text: notes === '' ? '' : `${item.kind} ${name}\n${notes}` };
    if (item.change === 'delete') return { text: `${item.kind} ${name} will be deleted\n${notes}` };
    const [policy] =
      item.kind === 'ImagePolicy' ? parsePolicies(toYaml(item.after), file).policies : [undefined];
    if (policy !== undefined) {
      const plan = toPlan(policy, await findStored(service, item.name));
      const { text, whatIf } = await showPlan(plan, {
        service,
        terminal,
        globals,
        whatif: options.whatif,
        dryRun: !asks,
      });
      return { text: `ImagePolicy ${text}${notes}`, whatIf };
    }
    const lines = documentDifference(item.before ?? {}, item.after ?? {}).map((line) => `  ${line}\n`);
    const what = item.change === 'create' ? 'will be created' : 'will be changed';
    return {
      text: `${item.kind} ${name} ${what}\n${item.change === 'create' ? '' : lines.join('')}${notes}`,
    };
  }
}

function summary({ changed, total, items }: ImportedBody): string {
  if (changed === 0)
    return `No difference: all ${counted(total, 'object is', 'objects are')} as in the file.`;
  const same = total - changed;
  const parts = (['create', 'update', 'delete'] as const).flatMap((change) => {
    const count = items.filter((item) => item.change === change).length;
    return count === 0 ? [] : [`${counted(count, 'object')} would be ${change}d`];
  });
  return `${parts.join(', ')}; ${same === 0 ? 'none is' : counted(same, 'is', 'are')} unchanged.`;
}

function appliedLine({ kind, name, change, outcome, error }: Item): string | null {
  if (outcome === 'unchanged' || outcome === 'planned') return null;
  const what = `${kind} ${clean(name)}`;
  if (outcome === 'not_applied') return `${what} was not applied: ${clean(error ?? '', 500)}\n`;
  return `${what} ${{ create: 'created', update: 'updated', delete: 'deleted', unchanged: '' }[change]}\n`;
}

/** The body of the API, with the what-if of each changed policy. */
function bodyOf(body: ImportedBody, told: ReadonlyMap<Item, Told>): unknown {
  const whatIfs = new Map([...told].map(([{ kind, name }, { whatIf }]) => [`${kind}/${name}`, whatIf]));
  return {
    ...body,
    items: body.items.map((item) => ({ ...item, what_if: whatIfs.get(`${item.kind}/${item.name}`) ?? null })),
  };
}
