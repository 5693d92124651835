import type { ChannelTest } from '../../channels/index.ts';
import { TrackerError } from '../../trackers/index.ts';
import { AnswerError } from '../transport/index.ts';
import type { GithubApi } from './api.ts';
import { toRepo } from './place.ts';
import { Repository } from './schema.ts';

const PERMISSION =
  'Use a fine-grained token with Issues: read and write on the repository, or a classic token with the scope repo';
const UNTOLD = 'Whether the token may write issues shows at the first issue; this test writes nothing';

/**
 * testGithub makes one read of a repository and tells whether the credential works, and what is missing. What a fine-grained token may
 * write cannot be read from GitHub; of a classic one the scopes are in the answer.
 */
export async function testGithub(api: GithubApi, target: string): Promise<ChannelTest> {
  try {
    const repo = toRepo(target);
    const { document, headers } = await api.head(Repository, async (octokit) => octokit.repos.get(repo));
    const { full_name: name, permissions } = document;
    if (document.archived === true)
      return failed(`${name} is archived, so that no issue can be opened in it`, [
        'Choose another repository',
      ]);
    if (document.disabled === true) return failed(`${name} is disabled`, ['Ask the owner of the repository']);
    if (document.has_issues === false)
      return failed(`issues are switched off in ${name}`, ['Switch them on in its settings, under Features']);
    const listed = headers['x-oauth-scopes'];
    const scopes = typeof listed === 'string' ? scopesOf(listed) : null;
    if (scopes !== null && !covers(scopes, document.private !== false)) {
      return failed(`the classic token lacks the scope repo (it has ${scopes.join(', ') || 'none'})`, [
        PERMISSION,
      ]);
    }
    const pushes = permissions?.['push'] === true || permissions?.['triage'] === true;
    return {
      works: true,
      sentence: `the token reads ${name}`,
      hints: [
        ...(scopes === null ? [UNTOLD, PERMISSION] : []),
        ...(permissions && !pushes
          ? ['The account has no triage right there, so that GitHub drops the labels of its issues']
          : []),
      ],
    };
  } catch (error) {
    if (error instanceof TrackerError) return explained(error, target);
    throw error;
  }
}

function explained(error: TrackerError, target: string): ChannelTest {
  if (error.fault === 'rate_limited')
    return { ...failed(error.message, []), limitedMs: error.quietMs ?? 60_000 };
  const single = error instanceof AnswerError ? error.headers['x-github-sso'] : undefined;
  const hints: Partial<Record<TrackerError['fault'], readonly string[]>> = {
    unauthorized: ['Enter another token; this one is wrong, expired or revoked'],
    forbidden:
      single === undefined
        ? [PERMISSION]
        : ['Authorise the token for the single sign-on of the organisation, in the settings of its owner'],
    not_found: [
      `Check the name ${target}: GitHub says not found also where the token may not look`,
      PERMISSION,
    ],
    moved: ['Enter the repository under the name that it has now'],
  };
  const wanted = hints[error.fault] ?? [];
  return failed(error.message, wanted.length > 0 || error.hint === undefined ? wanted : [error.hint]);
}

function failed(sentence: string, hints: readonly string[]): ChannelTest {
  return { works: false, sentence, hints };
}

function covers(scopes: readonly string[], hidden: boolean): boolean {
  return scopes.includes('repo') || (!hidden && scopes.includes('public_repo'));
}

/** The list of scopes that GitHub writes into a header for classic tokens. */
function scopesOf(header: string): readonly string[] {
  return header
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => /^[\w:]{1,60}$/.test(scope));
}
