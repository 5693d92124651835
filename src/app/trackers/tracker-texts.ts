import { githubRoom } from '../../adapters/github/index.ts';
import { gitlabRoom } from '../../adapters/gitlab/index.ts';
import { jiraRoom } from '../../adapters/jira/index.ts';
import { jiraWay } from '../../channels/index.ts';
import type { TextRooms } from '../../trackers/index.ts';

/** textRooms gives what one text of each kind of tracker may hold. */
export const textRooms: TextRooms = (channel) => {
  switch (channel.kind) {
    case 'github':
      return githubRoom;
    case 'gitlab':
      return gitlabRoom;
    case 'jira':
      return jiraRoom(jiraWay(channel.settings).api);
  }
};
