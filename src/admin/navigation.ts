/** The navigation entries of the staff pages, by path. Bull Board also links to these pages. */
export const navigation = {
  '/admin': 'Search',
  '/admin/businesses': 'Businesses',
  '/admin/dead': 'Dead deliveries',
  '/admin/queues': 'Queues',
  '/admin/audit': 'Audit trail',
} as const
