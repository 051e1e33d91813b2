import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { type Metrics, type OpsListener, type Readiness, opsListener } from '@portico/observe';
import { listenError } from './http-listener.js';

/** The operators' side of the front door: whether it is ready and why not, and its metrics. */
export class AdminListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private listener: OpsListener | undefined;

  constructor(
    private readonly where: { host: string; port: number },
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  get url(): string {
    const { host } = this.where;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.listener?.port ?? this.where.port}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.where;
    try {
      this.listener = await opsListener(this.where, { readiness: this.readiness, metrics: this.metrics });
    } catch (error) {
      throw listenError(error as NodeJS.ErrnoException, 'ADMIN_HOST and ADMIN_PORT', host, port);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener?.close();
  }
}
