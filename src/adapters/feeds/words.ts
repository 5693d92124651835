/** FeedWords are how sentences about a feed speak of it and of what people can set. */
export interface FeedWords {
  /** `catalogue`, `release data`: as it follows an article. */
  readonly noun: string;
  /** The setting that says where it is. */
  readonly setting: string;
  /** Where mirrors of it are mounted in a cluster. */
  readonly mount: string;
}
