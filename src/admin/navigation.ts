/** The pages in the navigation of staff pages, by path. Bull Board links to them too. */
export const navigation = {
  '/admin': 'Search',
  '/admin/dead': 'Dead deliveries',
  '/admin/queues': 'Queues',
  '/admin/audit': 'Audit trail',
} as const
