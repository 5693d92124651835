import type { StoredPolicyBody } from '../../../src/api/contract/policies.ts';
import { parsePolicies, PolicyError } from '../../../src/policy/index.ts';
import { toYaml } from '../../../src/render/index.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { openParts } from '../../terminal/parts.ts';
import { withService } from '../../service/client.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { deliver, parseParameters, parseWanted, toDraft } from '../../whatif/answer.ts';
import { askWhatIf } from '../../whatif/ask.ts';
import { sayKept } from '../../whatif/server.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** PolicyWhatIfOptions are the flags of `ipo policy whatif`. */
export interface PolicyWhatIfOptions extends ServiceFlags {
  readonly days: string;
  readonly limit: string;
  readonly keep?: true;
  readonly failOn?: readonly string[];
  readonly strict?: true;
  readonly all?: true;
  readonly output?: readonly string[];
}

/** runPolicyWhatIf is `ipo policy whatif`: "an audit policy is replayed as if enforcing, an enforcing one as it stands, over 30 days". */
export async function runPolicyWhatIf(
  name: string,
  options: PolicyWhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const wanted = parseWanted(options, []);
  const { days, limit } = parseParameters(options);
  const answer = await withService(terminal, options, async (service) => {
    const { body } = await service.json<StoredPolicyBody>('GET /policies/{name}', { params: { name } });
    const file = parsePolicies(toYaml(body.document), `policy ${name}`);
    const [policy] = file.policies;
    const [fault, ...more] = file.problems;
    if (policy === undefined)
      throw fault === undefined ? new TypeError('no policy') : new PolicyError([fault, ...more]);
    const asked = { policy: body.document, days, limit, source: body.name, keep: options.keep === true };
    return { ...(await askWhatIf(service, asked)), draft: toDraft(policy.places) };
  });
  const code = await deliver(answer, wanted, openParts(terminal), terminal, globals);
  sayKept(options.keep === true, answer.result.run_id, terminal, globals);
  return code;
}
