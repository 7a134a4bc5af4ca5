import type { Config } from '../config/config.ts'

export const staffRoles = ['viewer', 'support', 'admin'] as const
export type StaffRole = (typeof staffRoles)[number]

export const isValidStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

/** Every role may view all pages except those about staff accounts. */
const permissions = {
  'requeue-deliveries': ['support', 'admin'],
  'export-audit': ['support', 'admin'],
  'change-keys': ['admin'],
  'change-businesses': ['admin'],
  'change-people': ['admin'],
  'change-staff': ['admin'],
} as const satisfies Record<string, readonly StaffRole[]>

export type StaffPermission = keyof typeof permissions

export const rolesWith = (permission: StaffPermission): readonly StaffRole[] => permissions[permission]

export const hasPermission = ({ role }: { role: StaffRole }, permission: StaffPermission): boolean =>
  rolesWith(permission).includes(role)

export const requiresSecondFactor = ({ production }: Pick<Config, 'production'>, role: StaffRole): boolean =>
  production && role !== 'viewer'

export const secondFactorPath = '/admin/account/second-factor'

/** A session may open only these paths if it lacks a second factor. */
export const pathsBeforeSecondFactor: readonly string[] = [secondFactorPath, '/admin/sign-out']
