/**
 * Settings: the file, the environment, and what each part of them means.
 * It uses no other room.
 */
export { loadConfig, type Config, type ConfigSources } from './config.ts';
export { ConfigError } from './error.ts';
