import type { z } from 'zod';
import { TrackerError } from '../../trackers/index.ts';
import type { GitlabApi } from './api.ts';
import { placeOfLink, type Place } from './place.ts';
import { Issues, type Issue } from './schema.ts';

/** Milliseconds around an issue's creation, which it keeps when it is moved. */
const AROUND = 1000;

/** Moved is an issue where it is now. */
export interface Moved {
  readonly issue: z.output<typeof Issue>;
  readonly place: Place;
}

/**
 * whereMoved finds the issue that another one was moved to, of which GitLab tells only the number: author and time of creation stay, so it
 * is among what this account created then. Null when the account does not see it.
 */
export async function whereMoved(
  api: GitlabApi,
  from: z.output<typeof Issue>,
  id: number,
): Promise<Moved | null> {
  const at = Date.parse(from.created_at);
  try {
    const around = await api.get(Issues, async ({ issues }) =>
      issues.all({
        scope: 'created_by_me',
        state: 'all',
        createdAfter: new Date(at - AROUND).toISOString(),
        createdBefore: new Date(at + AROUND).toISOString(),
        perPage: 20,
        page: 1,
      }),
    );
    const issue = around.find((one) => one.id === id);
    const place = issue === undefined ? null : placeOfLink(issue.web_url, api.transport.base);
    return issue === undefined || place === null ? null : { issue, place };
  } catch (error) {
    // A project's token sees only its own project.
    const blind = error instanceof TrackerError && /^(?:forbidden|not_found|unauthorized)$/.test(error.fault);
    if (blind) return null;
    throw error;
  }
}
