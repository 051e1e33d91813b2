import { setting } from '@portico/settings';

/** Where the operator says what tools do to the world, and who may see and call them. */
export const policySettings = {
  POLICY_FILE: setting.path({
    shownDefault: 'policy.yaml if it exists',
    meaning: 'what tools do, who may call them, and profiles, in YAML or JSON; re-read when it changes',
  }),
};
