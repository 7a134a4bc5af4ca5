/** The actions that the audit trail records (docs/operators/support.md). */
export const acts = [
  'business.approved',
  'business.unapproved',
  'business.disabled',
  'business.enabled',
  'business.suspended',
  'business.resumed',
  'business.limited',
  'delivery.requeued',
  'intents.cancelled',
  'staff.created',
  'staff.disabled',
  'staff.enabled',
  'staff.password-changed',
  'staff.signed-in',
  'staff.signed-out',
  'staff.sign-in-refused',
] as const
export type Act = (typeof acts)[number]
