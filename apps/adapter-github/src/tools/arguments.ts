import { z } from 'zod';

const MOST_NAMED = 30;

/** The repository of a call; its description names those on the list. Whether one is on it is the client's to say. */
export const repositoryOf = (repositories: readonly string[]) => {
  const named = repositories.slice(0, MOST_NAMED).join(', ');
  const others = repositories.length - MOST_NAMED;
  return z
    .string()
    .max(140)
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*\/[A-Za-z0-9._-]+$/)
    .describe(`owner/name, one of: ${named}${others > 0 ? ` and ${others} more` : ''}`);
};
export type RepositoryArgument = ReturnType<typeof repositoryOf>;

const words = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be without control characters');

export const Ref = words(250).describe('branch, tag or hash of a commit; the default branch unless given');
export const BranchName = words(250);
export const Login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_[\]-]{0,99}$/);
export const LabelName = z
  .string()
  .max(50)
  .regex(/^[^\p{Cc},]+$/u, 'must be one label');
export const Time = z.iso.datetime({ offset: true });
export const TopicNumber = z.int().min(1).max(2_147_483_647);

/** Inside the repository, and one spelling of it: no empty, "." or ".." between its slashes. */
export const FilePath = z
  .string()
  .max(1_024)
  .regex(/^(?!\/)(?!.*\/\/)(?!.*\/$)\P{Cc}*$/u, 'must be a path inside the repository, without a slash at its ends')
  .refine((path) => !path.split('/').some((segment) => segment === '.' || segment === '..'), {
    message: 'must have no "." or ".." in it',
  });

/** Which part of a list. */
export const paging = {
  limit: z.int().min(1).max(100).default(30).describe('most items on the page; the same from page to page'),
  page: z.int().min(1).max(10_000).default(1).describe('next_page of the answer before, for what comes next'),
};

export const bodyFrom = (most: number) =>
  z.int().min(0).max(10_000_000).default(0).describe(`character that the body is shown from; ${most} are shown`);
