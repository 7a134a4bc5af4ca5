import { isBlankText, isLongerThan } from '../input/name.ts'

/** On accounts: for the account's holder and the operator only. */
const accountVerbs =
  'disabled enabled password-changed signed-in signed-out sign-in-refused second-factor-added recovery-codes-renewed session-ended'

/** Separated by spaces. */
const verbs = {
  api: 'disabled enabled',
  audit: 'exported',
  business:
    'created live-requested approved unapproved disabled enabled suspended resumed limited commission-set paid-out',
  delivery: 'requeued',
  endpoint: 'created changed deleted replayed replay-cancelled secret-rotated',
  intents: 'cancelled',
  key: 'created rotated suspended resumed revoked',
  ledger: 'exported',
  payment: 'searched-by-phone',
  person: `invited joined invitation-cancelled role-changed removed confirmed reset ${accountVerbs}`,
  reconciliation: 'run',
  refund: 'requested',
  retention: 'run',
  secrets: 'rotated',
  shop: 'created',
  staff: `created link-issued role-changed second-factor-removed ${accountVerbs}`,
  wallet: 'created',
} as const

type Verbs = typeof verbs
type Word<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text
type ActOf<Noun extends keyof Verbs> = `${Noun}.${Word<Verbs[Noun]>}`

export type AuditAction = { [Noun in keyof Verbs]: ActOf<Noun> }[keyof Verbs]

type OperatorNoun = Exclude<
  keyof Verbs,
  'business' | 'delivery' | 'endpoint' | 'intents' | 'key' | 'person' | 'refund' | 'shop'
>
type AccountAct = `person.${Word<typeof accountVerbs> | 'reset'}`

/** What the owners of a business may know. The others are the operator's, or belong to no business. */
export type OwnerAct = Exclude<AuditAction, ActOf<OperatorNoun> | AccountAct>

export const auditedActions = Object.entries(verbs)
  .flatMap(([noun, each]) => each.split(' ').map((verb) => `${noun}.${verb}` as AuditAction))
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
