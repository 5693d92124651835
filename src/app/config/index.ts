/**
 * Settings: the file, the environment, and what each part of them means.
 * It uses no other room.
 */
export { loadConfig } from './config.ts';
