import type { Intent, Refund } from '../../../clients/typescript/payments.ts'
import type { Status } from '../../invariants/documents.ts'
import type { Call, Page, What } from '../evidence/evidence.ts'

type Described = 'payment' | 'refunds' | 'totalAmountRefunded' | 'cancellationReason'
type Code = 'referenceNumber' | 'shortCode' | 'code'
type Always = Code | 'amount' | 'status' | 'sandbox' | 'expiresAt' | 'createdAt'
export type ShownIntent = Pick<Intent, Always> & Partial<Pick<Intent, Described>> & { refund?: Refund }
type Of<Field extends keyof Call> = Pick<Call, Field>

export function dataOf<Data>(call: Of<'status' | 'response'> | null): Data | null {
  if (call === null || call.status === null || call.status >= 300) return null
  return (call.response as { data?: Data } | null)?.data ?? null
}

export const errorOf = ({ response }: Of<'response'>) =>
  (response as { error?: Refusal } | null)?.error ?? null
type Refusal = { code: string; statusCode: number; message: string; details?: { referenceNumber?: string } }
export const pageOf = ({ response }: Of<'response'>): Page | null =>
  typeof response === 'object' && response !== null && 'text' in response ? (response as Page) : null
export const isReplay = ({ headers }: Of<'headers'>): boolean => headers['idempotent-replayed'] === 'true'
const ofOneIntent: readonly What[] = ['create', 'read', 'cancel', 'refund', 'simulate']

export function intentsIn(call: Call): ShownIntent[] {
  const data = dataOf<ShownIntent & { items?: ShownIntent[] }>(call)
  if (call.what === 'list') return data?.items ?? []
  return data?.referenceNumber !== undefined && ofOneIntent.includes(call.what) ? [data] : []
}

export const referenceIn = ({ path }: Of<'path'>): string | null => /PI-[0-9A-Z]{16}/.exec(path)?.[0] ?? null
export const shortCodeIn = (path: string): string | undefined => /\/p\/([0-9A-Z]{6})/.exec(path)?.[1]
export const endpointIn = ({ path }: Of<'path'>) => /\/endpoints\/([0-9a-f]{24})/.exec(path)?.[1] ?? ''
export const queryOf = (path: string): URLSearchParams => new URL(path, 'http://service').searchParams
const becomes: Partial<Record<Status, Status[]>> = {
  PENDING: ['PAID', 'CANCELLED', 'FAILED'],
  PAID: ['REFUNDED'],
}

export const mayBecome = (from: Status, to: Status): boolean =>
  from === to || (becomes[from] ?? []).some((next) => mayBecome(next, to))

export const formsIn = (calls: Call[]) =>
  calls
    .filter(({ what }) => what === 'pay.confirm')
    .map(({ body, path }) => {
      const { form = '', phone = '', pin } = (body ?? {}) as { form?: string; phone?: string; pin?: string }
      return { id: form.split('.', 1)[0] ?? '', path, phone: phone.replaceAll(/\D/g, ''), pin }
    })
