/** Only what a backend gave: absent reads better than null. */
export const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
