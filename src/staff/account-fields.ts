/**
 * The roles of staff. A `viewer` may only view pages. `support` may also re-queue deliveries and export the audit
 * trail. An `admin` may also change keys, businesses and staff accounts (permissions.ts).
 */
export const roles = ['viewer', 'support', 'admin'] as const
export type Role = (typeof roles)[number]

/** Returns whether a string is a valid account name. */
export const isStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)
