/**
 * What decides of an image: its facts by platform, its state, and the end of life of its operating system.
 * It uses `sql`.
 */
export { catalogueNotes, catalogueState } from './catalogue-state.ts';
export { releaseStore } from './end-of-life.ts';
export { seePlatforms, wantedPlatforms } from './node-platforms.ts';
export { lockImage } from './facts.ts';
