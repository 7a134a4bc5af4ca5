import { isBlankText, isLongerThan } from '../input/name.ts'

/** docs/operators/support.md lists all actions. */
export type AuditAction = `${string}.${string}`

const otherVerbs = {
  api: ['disabled', 'enabled'],
  audit: ['exported'],
  business: ['created', 'commission-set', 'paid-out'],
  delivery: ['requeued'],
  endpoint: ['created', 'changed', 'deleted', 'replayed', 'replay-cancelled', 'secret-rotated'],
  intents: ['cancelled'],
  key: ['created', 'rotated'],
  ledger: ['exported'],
  payment: ['searched-by-phone'],
  person: [
    'joined',
    'invitation-cancelled',
    'role-changed',
    'removed',
    'confirmed',
    'password-changed',
    'signed-in',
    'signed-out',
    'sign-in-refused',
    'second-factor-added',
    'recovery-codes-renewed',
    'session-ended',
  ],
  reconciliation: ['run'],
  retention: ['run'],
  secrets: ['rotated'],
  shop: ['created'],
  staff: [
    'password-changed',
    'signed-in',
    'signed-out',
    'sign-in-refused',
    'second-factor-added',
    'recovery-codes-renewed',
  ],
  wallet: ['created'],
}
export const actsWithoutPage = Object.entries(otherVerbs).flatMap(([noun, verbs]) =>
  verbs.map((verb): AuditAction => `${noun}.${verb}`),
)

/** Includes characters that change the direction of the text after them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

export const maxReasonLength = 300

export function readReason(text: string): string | null {
  const reason = text.trim()
  return isBlankText(reason) || isLongerThan(reason, maxReasonLength) || unprintable.test(reason)
    ? null
    : reason
}
