/** GitHub and GitHub Enterprise as a tracker of issues. */
export { githubRoom } from './compose.ts';
export { openGithubTracker } from './tracker.ts';
