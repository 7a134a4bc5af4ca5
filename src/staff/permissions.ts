import type { Config } from '../config/config.ts'

export const staffRoles = ['viewer', 'support', 'admin'] as const
export type Role = (typeof staffRoles)[number]

export const isValidStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

/** Every role may view all pages except those about staff accounts. */
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

export const requiresSecondFactor = ({ production }: Pick<Config, 'production'>, role: Role): boolean =>
  production && role !== 'viewer'

export const secondFactorPath = '/admin/account/second-factor'

/** The only paths open to a session whose account lacks a required second factor. */
export const pathsBeforeSecondFactor: readonly string[] = [secondFactorPath, '/admin/sign-out']
