import type { Call, PageAnswer, What } from '../../evidence/evidence.ts'

/** An intent as an answer shows it. */
export interface ShownIntent {
  referenceNumber: string
  shortCode: string
  code: string | null
  codeExpiresAt: string | null
  payUrl: string
  amount: number | null
  amountType: string
  currency: string
  label: string | null
  status: string
  sandbox: boolean
  metadata: Record<string, string>
  expiresAt: string
  createdAt: string
  payment?: { amountPaid: number; paidAt: string } | null
  refunds?: { id: string; amount: number; status: string }[]
  totalAmountRefunded?: number
  updatedAt?: string
  cancellationReason?: string
  failure?: { code: string; retryable: boolean }
  /** Only in the answer to a refund. */
  refund?: { id: string; amount: number; status: string; reason: string | null }
}

export interface Refused {
  code: string
  message: string
  statusCode: number
  details?: Record<string, unknown>
}

/** The data of a good answer; null of any other. */
export function dataOf<Data>(call: Pick<Call, 'status' | 'answer'>): Data | null {
  const { status, answer } = call
  if (status === null || status >= 300 || typeof answer !== 'object' || answer === null) return null
  return (answer as { data?: Data }).data ?? null
}

/** What a refusal says; null of any other answer. */
export function refusalOf({ answer }: Pick<Call, 'answer'>): Refused | null {
  if (typeof answer !== 'object' || answer === null) return null
  return (answer as { error?: Refused }).error ?? null
}

export const pageOf = ({ answer }: Pick<Call, 'answer'>): PageAnswer | null =>
  typeof answer === 'object' && answer !== null && 'text' in answer ? (answer as PageAnswer) : null

export const isReplay = ({ headers }: Pick<Call, 'headers'>): boolean =>
  headers['idempotent-replayed'] === 'true'

/** Operations whose good answer is one intent. */
const ofOneIntent: readonly What[] = ['create', 'read', 'cancel', 'refund', 'simulate']

/** The intents that an answer shows, with their whole retrieval shape but for a create's. */
export function intentsIn(call: Call): ShownIntent[] {
  if (ofOneIntent.includes(call.what)) {
    const one = dataOf<ShownIntent>(call)
    return one === null || one.referenceNumber === undefined ? [] : [one]
  }
  return call.what === 'list' ? (dataOf<{ items: ShownIntent[] }>(call)?.items ?? []) : []
}

/** The reference in the path of an operation on one intent. */
export const referenceIn = ({ path }: Pick<Call, 'path'>): string | null =>
  /PI-[0-9A-Z]{16}/.exec(path)?.[0] ?? null

/** The short code in the address of a payment's page. */
export const shortCodeIn = (path: string): string | undefined => /\/p\/([0-9A-Z]{6})/.exec(path)?.[1]
