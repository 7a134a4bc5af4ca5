import type { Config } from '../config/config.ts'

/**
 * A `viewer` only views pages. `support` also re-queues deliveries and exports the audit trail. An `admin` also changes
 * keys, businesses and staff accounts.
 */
export const roles = ['viewer', 'support', 'admin'] as const
export type Role = (typeof roles)[number]

export const isValidStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

/**
 * The roles that have each permission. Every role may view all pages except those about staff accounts, but every act
 * on a page requires one of these.
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

/** Outside production, the second factor is optional for all roles. */
export const requiresSecondFactor = ({ production }: Pick<Config, 'production'>, role: Role): boolean =>
  production && role !== 'viewer'

export const secondFactorPath = '/admin/account/second-factor'

/** Where a session may go while its account lacks a required second factor. */
export const pathsBeforeSecondFactor: readonly string[] = [secondFactorPath, '/admin/sign-out']
