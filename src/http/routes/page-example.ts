/** Returns the only page of a list that contains one item. */
export const pageWith = (item: unknown, limit: number) => ({
  items: [item],
  page: 1,
  limit,
  total: 1,
  hasMore: false,
})
