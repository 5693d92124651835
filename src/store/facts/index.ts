/**
 * What decides of an image: its facts by platform, its state, and the end of life of its operating system.
 * It uses `sql`.
 */
export { releaseStore } from './end-of-life.ts';
export { seePlatforms } from './node-platforms.ts';
export { lockImage } from './facts.ts';
