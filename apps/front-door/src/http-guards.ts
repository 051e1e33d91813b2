import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultCode } from '@portico/contracts';

/** A request turned away before it was understood: an HTTP status with a JSON-RPC error body. */
export interface Refusal {
  readonly status: number;
  /** JSON-RPC code: -32000 unless the revision names one. */
  readonly code: number;
  readonly message: string;
  readonly faultCode: FaultCode;
  /** When it may be tried again; told as `Retry-After` and in `data`. */
  readonly retryAfterMs?: number;
  readonly headers?: Record<string, string>;
}

export interface GuardSettings {
  /** The address agents connect to; loopback turns on the `Host` check, as `allowedHosts` do, and allows loopback origins. */
  readonly host: string;
  /** Origins such as `https://app.example.com`, compared exactly. */
  readonly allowedOrigins: readonly string[];
  /** Host names besides the loopback ones, without port. */
  readonly allowedHosts: readonly string[];
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
export const isLoopback = (host: string): boolean => LOOPBACK_NAMES.has(host) || /^127(\.\d{1,3}){3}$/.test(host);

/** What a browser client of MCP must be able to send and to read. */
const CORS_REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, ' +
  'X-Correlation-ID, X-Task-ID, X-Agent-ID, X-Lease-ID, traceparent, tracestate';
const CORS_RESPONSE_HEADERS = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After';

/** The name in `name[:port]`; undefined for what is not written like that. */
const hostNameOf = (authority: string): string | undefined =>
  /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(authority)?.[1]?.toLowerCase();

/** The checks of a request's provenance: `Host` against DNS rebinding, `Origin` against other sites' pages. */
export class HttpGuards {
  private readonly loopback: boolean;
  private readonly checksHost: boolean;
  private readonly origins: ReadonlySet<string>;
  private readonly hosts: ReadonlySet<string>;
  /** Hosts and origins seen and found good: the same few come with every request. */
  private readonly known = new Set<string>();

  constructor(settings: GuardSettings) {
    this.loopback = isLoopback(settings.host);
    this.checksHost = this.loopback || settings.allowedHosts.length > 0;
    this.origins = new Set(settings.allowedOrigins);
    this.hosts = new Set([...LOOPBACK_NAMES, ...settings.allowedHosts.map((name) => name.toLowerCase())]);
  }

  check(req: IncomingMessage): Refusal | undefined {
    const { host, origin } = req.headers;
    if (this.checksHost && !this.hostAllowed(host)) {
      return forbidden('The Host header does not name this server. Add the name to ALLOWED_HOSTS if it should.');
    }
    if (origin !== undefined && !this.originAllowed(origin)) {
      return forbidden(
        'Pages of this origin may not call this server. Add the origin to ALLOWED_ORIGINS if they should.',
      );
    }
    return undefined;
  }

  /** Adds what lets an allowed page read the answer; call after `check`. */
  allowOrigin(req: IncomingMessage, res: ServerResponse): void {
    const { origin } = req.headers;
    if (origin === undefined) return;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', CORS_RESPONSE_HEADERS);
    res.setHeader('Vary', 'Origin');
  }

  /** Answers a preflight of an origin that `check` let through. */
  preflight(req: IncomingMessage, res: ServerResponse): void {
    const asked = req.headers['access-control-request-headers'] ?? '';
    // Mcp-Param-* names depend on the tool, so what is asked for is granted when it looks like one.
    const params = asked
      .split(',')
      .filter((name) => /^\s*mcp-param-[a-z0-9_-]{1,64}\s*$/i.test(name))
      .slice(0, 32);
    res.writeHead(204, {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': [CORS_REQUEST_HEADERS, ...params.map((name) => name.trim())].join(', '),
      'Access-Control-Max-Age': '7200',
    });
    res.end();
  }

  private hostAllowed(host: string | undefined): boolean {
    if (host === undefined) return false;
    if (this.known.has(host)) return true;
    const name = hostNameOf(host);
    return name !== undefined && this.hosts.has(name) && this.remember(host);
  }

  private originAllowed(origin: string): boolean {
    if (this.origins.has(origin) || this.known.has(origin)) return true;
    if (!this.loopback) return false;
    const url = URL.parse(origin);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
    return url.origin === origin && LOOPBACK_NAMES.has(url.hostname) && this.remember(origin);
  }

  private remember(value: string): true {
    if (this.known.size < 64) this.known.add(value);
    return true;
  }
}

const forbidden = (message: string): Refusal => ({
  status: 403,
  code: -32000,
  message,
  faultCode: 'PERMISSION_DENIED',
});
