import type { StoredRuntimePolicyBody } from '../../../src/api/contract/runtime-policies.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { isIpoError } from '../../../src/base/index.ts';
import { runtimePolicyDocument, type WrittenRuntimePolicy } from '../../../src/runtime/index.ts';
import { checkStdin, withDirectories } from '../../files/index.ts';
import { documentDifference } from '../../terminal/document-difference.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { openParts } from '../../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { runApply, type ApplyOptions, type Plan, type PlannedChange } from '../apply.ts';
import { readDraft } from '../read-draft.ts';

type Json = Readonly<Record<string, unknown>>;

/** runRuntimePolicyApply is `ipo runtime policy apply`. */
export async function runRuntimePolicyApply(
  paths: readonly string[],
  options: ApplyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkStdin([...paths, options.tokenStdin === true ? '-' : undefined]);
  const applied = { command: 'ipo runtime policy apply', one: 'runtime policy', many: 'runtime policies' };
  const read = async () => {
    const policies = await readAll(paths, terminal);
    return (service: ServiceClient) => toPlan(service, policies);
  };
  return runApply(applied, read, options, terminal, globals);
}

/** The policies of all files, each name once. */
async function readAll(
  paths: readonly string[],
  terminal: Terminal,
): Promise<readonly WrittenRuntimePolicy[]> {
  const parts = openParts(terminal);
  const found = new Map<string, WrittenRuntimePolicy & { readonly file: string }>();
  for (const file of await withDirectories(paths, 'runtime policy', parts))
    for (const policy of (await readDraft(file, parts)).policies) {
      const first = found.get(policy.name);
      if (first !== undefined)
        throw new UsageError(
          `${file}: the runtime policy ${policy.name} is in ${first.file} too`,
          'Give each runtime policy only once',
        );
      found.set(policy.name, { ...policy, file });
    }
  if (found.size === 0)
    throw new UsageError(
      `${paths.join(', ')}: no RuntimePolicy document`,
      'RuntimeRules are applied with ipo runtime rule apply -f FILE',
    );
  return [...found.values()];
}

async function toPlan(service: ServiceClient, policies: readonly WrittenRuntimePolicy[]): Promise<Plan> {
  const changes: PlannedChange[] = [];
  const writes = new Map<PlannedChange, () => Promise<unknown>>();
  for (const policy of policies) {
    const { name, document: body } = policy;
    const before = await find(service, name);
    const change = toChange(policy, before);
    changes.push(change);
    writes.set(change, () =>
      before === null
        ? service.json('POST /runtime/policies', { body })
        : service.json('PUT /runtime/policies/{name}', {
            params: { name },
            headers: { 'if-match': before.etag },
            body,
          }),
    );
  }
  const steps: Plan['steps'] = (due) =>
    due.map((change) => ({ changes: [change], write: async () => writes.get(change)?.() }));
  return { changes, steps };
}

function toChange({ name, spec, document }: WrittenRuntimePolicy, before: Stored | null): PlannedChange {
  const after = { metadata: document['metadata'], spec };
  if (before === null) return { name, kind: 'created', lines: documentDifference({}, after) };
  const lines = documentDifference(comparable(before.body.document as Json), after);
  const same = lines.length === 0 && before.body.invalid === null;
  return { name, kind: same ? 'unchanged' : 'updated', lines };
}

/** By meaning, where it can be read: what is not written counts as its default. */
function comparable(document: Json): Json {
  const read = runtimePolicyDocument.safeParse(document);
  return { metadata: document['metadata'], spec: read.success ? read.data.spec : document['spec'] };
}

interface Stored {
  readonly body: StoredRuntimePolicyBody;
  readonly etag: string;
}

async function find(service: ServiceClient, name: string): Promise<Stored | null> {
  try {
    const key = 'GET /runtime/policies/{name}';
    const { body, headers } = await service.json<StoredRuntimePolicyBody>(key, { params: { name } });
    return { body, etag: headers['etag'] ?? '' };
  } catch (error) {
    if (isIpoError(error) && error.code === 'not_found') return null;
    throw error;
  }
}
