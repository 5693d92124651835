import type { ChannelTest } from '../../channels/index.ts';
import { TrackerError } from '../../trackers/index.ts';
import { AnswerError } from '../transport/index.ts';
import type { GitlabApi } from './api.ts';
import { toProject } from './place.ts';
import { Project } from './schema.ts';

/** Planner, the least role that may open, comment on and close the issues of others; Reporter is the next one above. */
const PLANNER = 15;

const PERMISSION =
  'Use a project access token with the scope api and the role Reporter; a group token for several projects';

/**
 * testGitlab makes one read of a project and tells whether the credential works, and what is missing. The scope of a token is not in the
 * answer, and one that has only read_api passes.
 */
export async function testGitlab(api: GitlabApi, target: string): Promise<ChannelTest> {
  try {
    const project = toProject(target);
    const document = await api.get(Project, async ({ projects }) => projects.show(project));
    const { path_with_namespace: name, permissions } = document;
    if (document.archived === true)
      return failed(`${name} is archived, so that no issue can be opened in it`, ['Choose another project']);
    if (document.issues_enabled === false || document.issues_access_level === 'disabled')
      return failed(`issues are switched off in ${name}`, [
        'Switch them on in its settings, under Visibility',
      ]);
    const levels = [permissions?.project_access, permissions?.group_access].map(
      (access) => access?.access_level ?? 0,
    );
    const level = Math.max(...levels);
    if (permissions && level < PLANNER) {
      const role = level === 0 ? 'is not a member of it' : 'has the role Guest there, or less';
      return failed(`the token reads ${name}, but its account ${role}`, [PERMISSION]);
    }
    return {
      works: true,
      sentence: `the token reads ${name}`,
      hints: [
        'The token needs the scope api to write; a token with only read_api passes this test, which writes nothing',
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
  const said = error instanceof AnswerError ? error.said : '';
  if (/insufficient_scope/.test(said))
    return failed(error.message, ['The token lacks the scope api', PERMISSION]);
  const hints: Partial<Record<TrackerError['fault'], readonly string[]>> = {
    unauthorized: ['Enter another token; this one is wrong, expired or revoked'],
    forbidden: [PERMISSION],
    not_found: [
      `Check the path ${target}: GitLab says not found also where the token may not look`,
      'Where a proxy decodes %2F in addresses, enter the number of the project in the place of its path',
      PERMISSION,
    ],
    moved: ['Enter the project under the path that it has now'],
  };
  const wanted = hints[error.fault] ?? [];
  return failed(error.message, wanted.length > 0 || error.hint === undefined ? wanted : [error.hint]);
}

function failed(sentence: string, hints: readonly string[]): ChannelTest {
  return { works: false, sentence, hints };
}
