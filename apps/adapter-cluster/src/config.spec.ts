import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

describe('[AD-5] the settings of the cluster adapter', () => {
  it('is not configured without a server', () => {
    expect(readConfig({ CLUSTER_READ_ONLY: 'true' })).toBeUndefined();
  });

  it('takes a server by URL', () => {
    expect(readConfig({ CLUSTER_MCP_URL: 'https://kube.example.com/mcp' })?.target).toEqual({
      transport: 'http',
      url: 'https://kube.example.com/mcp',
      headers: {},
    });
  });

  it('takes a server by command, and gives it no more of the environment than it needs', () => {
    const config = readConfig({
      CLUSTER_MCP_COMMAND: `kubernetes-mcp-server --kubeconfig "/etc/a b"`,
      PATH: '/bin',
      KUBECONFIG: '/etc/kube',
      SLACK_BOT_TOKEN: 'xoxb-1',
    });
    expect(config?.target).toEqual({
      transport: 'stdio',
      command: 'kubernetes-mcp-server',
      args: ['--kubeconfig', '/etc/a b'],
      env: { PATH: '/bin', KUBECONFIG: '/etc/kube' },
    });
  });

  it.each([
    'http://127.0.0.1:1/mcp',
    'http://kubernetes-mcp:8080/mcp',
    'http://kube.tools.svc/mcp',
    'http://kube.tools.svc.cluster.local/mcp',
  ])('[AD-3] takes %s without TLS', (url) => {
    expect(readConfig({ CLUSTER_MCP_URL: url })?.target).toMatchObject({ url });
  });

  it.each([
    [{ CLUSTER_MCP_URL: 'https://a/mcp', CLUSTER_MCP_COMMAND: 'a' }, /both set/],
    [
      { CLUSTER_MCP_URL: 'http://kube.example.com/mcp' },
      /CLUSTER_MCP_URL cannot be used: http:\/\/ is only for loopback/,
    ],
    [{ CLUSTER_MCP_URL: 'https://a:b@kube.example.com/mcp' }, /no user name and no password/],
    [{ CLUSTER_MCP_COMMAND: `a 'b` }, /CLUSTER_MCP_COMMAND cannot be read/],
    [{ CLUSTER_MCP_URL: 'https://a/mcp', CLUSTER_DENY: 'pods exec' }, /CLUSTER_DENY cannot be used/],
    [{ CLUSTER_MCP_URL: 'https://a/mcp', CLUSTER_ALLOW: 'x:y:z' }, /CLUSTER_ALLOW cannot be used/],
  ])('refuses %j in a sentence', (env, sentence) => {
    expect(() => readConfig(env)).toThrow(sentence);
  });
});
