export { setting } from './kinds.js';
export type { SecretSource } from './kinds.js';
export type { Setting } from './setting.js';
export { SettingError } from './setting-error.js';
export { readSettings } from './read-settings.js';
export type { Environment, SettingsOf, SettingsTable } from './read-settings.js';
export { describeSettings, formatSettings } from './describe-settings.js';
export type { SettingRow } from './describe-settings.js';
export { withDotEnv } from './dot-env.js';
