const MOST = 1_000;

/** A page of a list as Plane cuts it: `cursor=value:offset:is_prev`, and a next cursor even after the last page. */
export function pageOf(all: readonly unknown[], query: URLSearchParams): readonly [status: number, body: unknown] {
  const size = Number(query.get('per_page') ?? MOST);
  if (!Number.isInteger(size) || size < 1 || size > MOST)
    return [400, { detail: `Invalid per_page value. Cannot exceed ${MOST}.` }];
  const cursor = /^(\d+):(-?\d+):([01])$/.exec(query.get('cursor') ?? `${size}:0:0`);
  if (!cursor) return [400, { detail: 'Invalid cursor parameter.' }];
  const page = Number(cursor[2]);
  const results = all.slice(page * size, (page + 1) * size);
  return [
    200,
    {
      grouped_by: null,
      sub_grouped_by: null,
      total_count: all.length,
      next_cursor: `${size}:${page + 1}:0`,
      prev_cursor: `${size}:${page - 1}:1`,
      next_page_results: (page + 1) * size < all.length,
      prev_page_results: page > 0,
      count: results.length,
      total_pages: Math.ceil(all.length / size),
      total_results: all.length,
      extra_stats: null,
      results,
    },
  ];
}
