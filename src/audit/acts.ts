import { isBlankText, isLongerThan } from '../input/name.ts'

const verbs = {
  api: ['disabled', 'enabled'],
  audit: ['exported'],
  business: [
    'created',
    'live-requested',
    'approved',
    'unapproved',
    'disabled',
    'enabled',
    'suspended',
    'resumed',
    'limited',
    'commission-set',
    'paid-out',
  ],
  delivery: ['requeued'],
  endpoint: ['created', 'changed', 'deleted', 'replayed', 'replay-cancelled', 'secret-rotated'],
  intents: ['cancelled'],
  key: ['created', 'rotated', 'suspended', 'resumed', 'revoked'],
  ledger: ['exported'],
  payment: ['searched-by-phone'],
  person: [
    'invited',
    'joined',
    'invitation-cancelled',
    'role-changed',
    'removed',
    'confirmed',
    'disabled',
    'enabled',
    'reset',
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
    'created',
    'link-issued',
    'role-changed',
    'disabled',
    'enabled',
    'password-changed',
    'signed-in',
    'signed-out',
    'sign-in-refused',
    'second-factor-added',
    'second-factor-removed',
    'recovery-codes-renewed',
    'session-ended',
  ],
  wallet: ['created'],
} as const

type Verbs = typeof verbs
type ActOf<Noun extends keyof Verbs> = `${Noun}.${Verbs[Noun][number]}`

export type AuditAction = { [Noun in keyof Verbs]: ActOf<Noun> }[keyof Verbs]

type StaffNoun =
  | 'api'
  | 'audit'
  | 'ledger'
  | 'payment'
  | 'reconciliation'
  | 'retention'
  | 'secrets'
  | 'staff'
  | 'wallet'
type AccountVerb =
  | 'disabled'
  | 'enabled'
  | 'reset'
  | 'password-changed'
  | 'signed-in'
  | 'signed-out'
  | 'sign-in-refused'
  | 'second-factor-added'
  | 'recovery-codes-renewed'
  | 'session-ended'

/** What the owners of a business may know. The others are the operator's, or belong to no business. */
export type OwnerAct = Exclude<AuditAction, ActOf<StaffNoun> | `person.${AccountVerb}`>

export const auditedActions = Object.entries(verbs)
  .flatMap(([noun, each]) => each.map((verb) => `${noun}.${verb}` as AuditAction))
  .toSorted()

/** Includes characters that change the direction of the text after them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

export const maxReasonLength = 300

export function readReason(text: string): string | null {
  const reason = text.trim()
  return isBlankText(reason) || isLongerThan(reason, maxReasonLength) || unprintable.test(reason)
    ? null
    : reason
}
