import { z } from 'zod';

/** What a lease is about: any text of 1 to 512 characters without control characters. */
export const Resource = z
  .string()
  .min(1)
  .max(512)
  // eslint-disable-next-line no-control-regex -- they are what is refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/)
  .describe('what is worked on, such as plane:shop/17');

export const LeaseId = z.string().min(1).max(256).describe('the lease_id that task.acquire returned');
