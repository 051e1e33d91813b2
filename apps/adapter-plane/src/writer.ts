import { BackendClient, path } from '@portico/domain-kit';
import type { BackendSettings, CallScope } from '@portico/domain-kit';
import type { z } from 'zod';
import { planeSettings } from './client.js';
import type { AdapterPlaneConfig } from './config.js';
import { planeFault } from './faults.js';
import { Comment, WorkItem } from './replies.js';

/** What is sent of a work item; ids, not names. */
export interface WorkItemBody {
  readonly name?: string;
  readonly state?: string;
  readonly priority?: string;
  readonly labels?: readonly string[];
  readonly description_html?: string;
  readonly external_id?: string;
  readonly external_source?: string;
}

/** The writes that are made through the Plane API v1, each sent at most once. Where only git is written there is none. */
export class PlaneWriter {
  private readonly backend: BackendClient;
  private readonly workspace: string;

  constructor(
    config: AdapterPlaneConfig,
    private readonly log: BackendSettings['log'],
  ) {
    this.backend = new BackendClient(planeSettings(config, log));
    this.workspace = path`/api/v1/workspaces/${config.workspace}`;
  }

  createWorkItem(project: string, json: WorkItemBody, scope: CallScope): Promise<WorkItem> {
    return this.send('POST', path`/projects/${project}/work-items/`, json, WorkItem, scope);
  }

  updateWorkItem(project: string, item: string, json: WorkItemBody, scope: CallScope): Promise<WorkItem> {
    return this.send('PATCH', path`/projects/${project}/work-items/${item}/`, json, WorkItem, scope);
  }

  addComment(project: string, item: string, html: string, scope: CallScope): Promise<z.output<typeof Comment>> {
    const at = path`/projects/${project}/work-items/${item}/comments/`;
    return this.send('POST', at, { comment_html: html }, Comment, scope);
  }

  close(): Promise<void> {
    return this.backend.close();
  }

  private async send<S extends z.ZodType>(
    method: 'POST' | 'PATCH',
    at: string,
    json: unknown,
    shape: S,
    scope: CallScope,
  ): Promise<z.output<S>> {
    const request = { method, path: this.workspace + at, json, scope };
    const answer = await this.backend.send(request).catch((error: unknown) => planeFault(error, this.log));
    return answer.json(shape);
  }
}
