/** GitHub and GitHub Enterprise as a tracker of issues. */
export { openGithubTracker } from './tracker.ts';
