import { isBlank, isLonger } from '../input/name.ts'

/** docs/operators/support.md lists all acts. */
export type Act = `${string}.${string}`

/** Audited acts besides those in the table of staff acts (src/staff-acts). */
export const otherActs = [
  'api.disabled',
  'api.enabled',
  'audit.exported',
  'business.created',
  'business.commission-set',
  'business.paid-out',
  'delivery.requeued',
  'endpoint.created',
  'endpoint.changed',
  'endpoint.deleted',
  'endpoint.replayed',
  'endpoint.replay-cancelled',
  'endpoint.secret-rotated',
  'intents.cancelled',
  'key.created',
  'key.rotated',
  'ledger.exported',
  'payment.searched-by-phone',
  'reconciliation.run',
  'retention.run',
  'secrets.rotated',
  'shop.created',
  'staff.password-changed',
  'staff.signed-in',
  'staff.signed-out',
  'staff.sign-in-refused',
  'staff.second-factor-added',
  'staff.recovery-codes-renewed',
  'wallet.created',
] as const satisfies readonly Act[]

/** Control characters, line breaks, and whatever changes the direction of the text after it. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

/** In characters. */
export const maxReasonLength = 300

/** Trims the reason. Null unless it's a visible text of 1 to 300 characters. */
export function readReason(text: string): string | null {
  const reason = text.trim()
  return isBlank(reason) || isLonger(reason, maxReasonLength) || unprintable.test(reason) ? null : reason
}
