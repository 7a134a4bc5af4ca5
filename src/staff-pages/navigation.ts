import { mayStaff, type Permission, type Role } from '../staff/permissions.ts'

/** The navigation entries of the staff pages, by path. */
export const navigation = {
  '/admin': 'Search',
  '/admin/businesses': 'Businesses',
  '/admin/dead': 'Dead deliveries',
  '/admin/queues': 'Queues',
  '/admin/reconciliations': 'Reconciliations',
  '/admin/audit': 'Audit trail',
  '/admin/staff': 'Staff',
} as const
type Path = keyof typeof navigation

/** The pages that require a permission. */
const permissions: Partial<Record<Path, Permission>> = { '/admin/staff': 'change-staff' }

/** Returns the paths and names of the navigation entries that a member of staff may open. */
export const navigationFor = (staff: { role: Role }): [path: string, name: string][] =>
  Object.entries(navigation).filter(([path]) => {
    const permission = permissions[path as Path]
    return permission === undefined || mayStaff(staff, permission)
  })
