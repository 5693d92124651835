import { openProbe } from '../../adapters/tracker-probe/index.ts';
import type { Line } from '../../adapters/transport/index.ts';
import type { Secret } from '../../base/index.ts';
import type { TrackerChannel } from '../../channels/index.ts';
import type { IssueTracker } from '../../trackers/index.ts';
import type { TrackerDoor, TrackerDoorOptions } from './tracker-door.ts';
import { openLine } from '../trackers/tracker-line.ts';

/** openTrackerReads opens the door of tracker-door.ts. */
export function openTrackerReads({ testLoopback, userAgent }: TrackerDoorOptions): TrackerDoor {
  const line = openLine({ testLoopback, privateNetworks: 'allow' }, userAgent);
  return {
    ...openProbe(line),
    test: async (channel, credential) => (await openTracker(channel, credential, line)).test(),
  };
}

/** One library of three, loaded when its kind is tested. */
async function openTracker(channel: TrackerChannel, credential: Secret, line: Line): Promise<IssueTracker> {
  const never = (): boolean => false;
  switch (channel.kind) {
    case 'github': {
      const { openGithubTracker } = await import('../../adapters/github/index.ts');
      return openGithubTracker(channel, credential, never, line);
    }
    case 'gitlab': {
      const { openGitlabTracker } = await import('../../adapters/gitlab/index.ts');
      return openGitlabTracker(channel, credential, never, line);
    }
    case 'jira': {
      const { openJiraTracker } = await import('../../adapters/jira/index.ts');
      return openJiraTracker(channel, credential, never, line);
    }
  }
}
