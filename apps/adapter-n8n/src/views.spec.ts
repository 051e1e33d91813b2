import { describe, expect, it } from '@jest/globals';
import { hostsHidden } from './views.js';

describe('[AD-15] where n8n is', () => {
  it('is hidden where it is asked inside, and left where it is public or any word', () => {
    const text = 'n8n at n8n.flows.svc:5678, n8n.example.com and n8n';
    expect(hostsHidden(['http://n8n.flows.svc:5678', 'https://n8n.example.com'])(text)).toBe(
      'n8n at [n8n], n8n.example.com and n8n',
    );
    expect(hostsHidden(['http://n8n'])(text)).toBe(text);
  });
});
