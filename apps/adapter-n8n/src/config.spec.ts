import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('[AD-13] the settings of the n8n adapter', () => {
  it('is not configured without an address', () => {
    expect(readConfig({ N8N_API_KEY: 'k' })).toBeUndefined();
  });

  it('calls webhooks where n8n is unless told otherwise, and takes a file for its key before the key itself', () => {
    const env = { N8N_URL: 'https://n8n.example.com', N8N_API_KEY: 'k', N8N_API_KEY_FILE: '/run/k' };
    expect(readConfig(env)).toMatchObject({
      url: 'https://n8n.example.com',
      webhookUrl: 'https://n8n.example.com',
      apiKey: { file: '/run/k' },
      exposureTag: 'mcp',
    });
    const hooks = { ...env, N8N_WEBHOOK_URL: 'https://hooks.example.com' };
    expect(readConfig(hooks)).toMatchObject({ webhookUrl: 'https://hooks.example.com' });
  });

  it.each(['a,b', 'x'.repeat(25)])('takes no tag like %j', (tag) => {
    expect(() => readConfig({ N8N_URL: 'https://n8n.example.com', N8N_EXPOSURE_TAG: tag })).toThrow(
      /^N8N_EXPOSURE_TAG takes/,
    );
  });

  it.each(['N8N_URL', 'N8N_WEBHOOK_URL'])('takes no %s without TLS', (name) => {
    const env = { N8N_URL: 'https://n8n.example.com', [name]: 'http://n8n.example.com' };
    expect(() => readConfig(env)).toThrow(`${name} cannot be used: http:// is only for loopback`);
  });
});
