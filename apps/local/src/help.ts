import { describeSettings, formatSettings } from '@portico/settings';
import { settingsTables } from './local.module.js';

/** What `npm start -- --help` prints. */
export const help = (): string => `Portico: one front door for every tool an AI agent uses.

Usage: npm start [-- --help]

Starts every service in one process and serves MCP at http://127.0.0.1:8080/mcp. Servers come from mcp.json (the
mcpServers format of every MCP client) when there is one, else the built-in entries files and memory.

Settings (environment, or a .env file in this folder):
${formatSettings(describeSettings(...settingsTables))}
`;
