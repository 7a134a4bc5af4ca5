import type { Config } from '../config/config.ts'

/**
 * The roles of staff. A `viewer` may only view pages. `support` may also re-queue deliveries and export the audit
 * trail. An `admin` may also change keys, businesses and staff accounts.
 */
export const roles = ['viewer', 'support', 'admin'] as const
export type Role = (typeof roles)[number]

/** Returns whether a string is a valid account name. */
export const isStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

/**
 * The permissions of staff, each with the roles that have it. Every role may view all pages except those about staff
 * accounts. Every act on a page requires one of these permissions.
 */
const permissions = {
  'requeue-deliveries': ['support', 'admin'],
  'export-audit': ['support', 'admin'],
  'change-keys': ['admin'],
  'change-businesses': ['admin'],
  'change-staff': ['admin'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof permissions

export const rolesWith = (permission: Permission): readonly Role[] => permissions[permission]

export const mayStaff = ({ role }: { role: Role }, permission: Permission): boolean =>
  rolesWith(permission).includes(role)

/** Returns whether accounts with this role need a second factor. Outside production, it is optional for all roles. */
export const requiresSecondFactor = ({ production }: Pick<Config, 'production'>, role: Role): boolean =>
  production && role !== 'viewer'

export const secondFactorPath = '/admin/account/second-factor'

/** The only paths that a session may open while its account still lacks a required second factor. */
export const pathsBeforeSecondFactor: readonly string[] = [secondFactorPath, '/admin/sign-out']
