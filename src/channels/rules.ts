/** ChannelRules are what the settings of the process say about channels. */
export interface ChannelRules {
  /**
   * `trackers.testLoopback`: plain HTTP and this machine are let through, for tests and the demo. Nothing else is loosened.
   */
  readonly testLoopback: boolean;
  /** `trackers.allowedHosts`: host names that trackers, chats and webhooks may have, `*.example.com` for those below; none is any. */
  readonly allowedHosts: readonly string[];
}
