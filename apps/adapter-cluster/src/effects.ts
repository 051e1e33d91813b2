import type { Effect } from '@portico/contracts';

/**
 * What each tool of kubernetes-mcp-server 0.0.67, of all its toolsets, does to the world, in our own words: its hints are
 * not what we rely on. A tool that is not here is a write.
 */
const EFFECTS: Readonly<Record<Effect, readonly string[]>> = {
  read: [
    'configuration_contexts_list',
    'configuration_view',
    'events_list',
    'helm_list',
    'kcp_workspace_describe',
    'kcp_workspaces_list',
    'kiali_get_logs',
    'kiali_get_mesh_status',
    'kiali_get_mesh_traffic_graph',
    'kiali_get_metrics',
    'kiali_get_pod_performance',
    'kiali_get_resource_details',
    'kiali_get_trace_details',
    'kiali_list_mesh_clusters',
    'kiali_list_traces',
    'kiali_manage_istio_config_read',
    'namespaces_list',
    'netobserv_export_flows',
    'netobserv_get_flow_metrics',
    'netobserv_list_flows',
    'nodes_log',
    'nodes_stats_summary',
    'nodes_top',
    'pods_get',
    'pods_list',
    'pods_list_in_namespace',
    'pods_log',
    'pods_top',
    'projects_list',
    'resources_get',
    'resources_list',
    'tekton_pipelinerun_logs',
    'tekton_taskrun_logs',
    'vm_guest_info',
    'vm_troubleshoot',
  ],
  write: [
    'helm_install',
    'pods_run',
    'tekton_pipeline_start',
    'tekton_task_start',
    'tekton_taskrun_restart',
    'vm_clone',
    'vm_create',
    'vm_create_from_template',
  ],
  destructive: [
    'helm_uninstall',
    'kiali_manage_istio_config',
    'pods_delete',
    'pods_exec',
    'resources_create_or_update',
    'resources_delete',
    'resources_scale',
    'tekton_pipelinerun_lifecycle',
    'vm_lifecycle',
  ],
};

const BY_TOOL = new Map<string, Effect>(
  (Object.keys(EFFECTS) as Effect[]).flatMap((effect) => EFFECTS[effect].map((tool) => [tool, effect] as const)),
);

export const effectOf = (tool: string): Effect => BY_TOOL.get(tool) ?? 'write';
