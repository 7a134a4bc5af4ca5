import type { Role } from './account.ts'

/**
 * What members of staff may do on the pages besides viewing them, with the roles that allow it. Every act on a page
 * requires one of these permissions.
 */
const permissions = {
  'requeue-deliveries': ['support', 'admin'],
  'change-keys': ['admin'],
  'change-businesses': ['admin'],
  'change-staff': ['admin'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof permissions

export const rolesWith = (permission: Permission): readonly Role[] => permissions[permission]

export const mayStaff = ({ role }: { role: Role }, permission: Permission): boolean =>
  rolesWith(permission).includes(role)
