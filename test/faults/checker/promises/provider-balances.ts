import type { ProviderRequest } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { type Typed, typedForms } from '../views/forms.ts'
import { groupsOf } from '../views/groups.ts'

interface Moved {
  of: string
  amount: number
  businessId: string
  /** Of a refund: the key of the payment that it gives back of. */
  paymentKey: string | null
}

/**
 * The provider's books and ours say the same of live money: a payment that it made is the payment of its intent, a refund a refund, of the same amount; of the
 * phone that was typed and of the payment that it gives back of, and no order was sent twice (docs/operators/wallet-provider.md).
 */
export const providerBalances: Judge = function* (round) {
  const orders = round.provider.filter(({ asks }) => asks === 'order')
  for (const [of, some] of groupsOf(orders, ({ key }) => key))
    if (some.length > 1) yield { of, says: `the order was sent ${some.length} times` }
  const due = dueIn(round)
  const made = new Map(round.provider.filter(isMade).map((request) => [request.key, request]))
  for (const [key, { of, amount }] of due)
    if (made.get(key)?.amount !== amount)
      yield {
        of,
        says: `says that ${amount} moved as ${key}, and the provider ${made.get(key)?.amount ?? 'nothing'}`,
      }
  const forms = typedForms(round)
  for (const request of made.values()) yield* known(request, due, forms)
}

const isMade = ({ decided, status }: ProviderRequest): boolean => decided && status === 'succeeded'

function dueIn({ dump }: Round): Map<string, Moved> {
  const due = new Map<string, Moved>()
  for (const { referenceNumber: of, businessId, payment, refunds } of dump.intents) {
    if (payment === null || !payment.wallet.startsWith('live:')) continue
    due.set(payment.key, { of, amount: payment.amountPaid, businessId, paymentKey: null })
    for (const { id, amount, status } of refunds)
      if (status === 'SUCCEEDED') due.set(id, { of, amount, businessId, paymentKey: payment.key })
  }
  return due
}

function* known(
  request: ProviderRequest,
  due: Map<string, Moved>,
  forms: Map<string, Typed[]>,
): Generator<Broken> {
  const { key, kind, amount, reference } = request
  const told = due.get(key)
  if (told === undefined)
    yield {
      of: reference ?? key,
      says: `the provider made a ${kind} of ${amount} as ${key}, and no intent tells of it`,
    }
  else if (kind === 'payment') yield* ordered(request, told, forms.get(key) ?? [])
  else if (request.paymentKey !== told.paymentKey)
    yield { of: told.of, says: `its refund ${key} was ordered of payment ${request.paymentKey}` }
}

function* ordered(
  { key, reference, businessId, phone }: ProviderRequest,
  told: Moved,
  forms: Typed[],
): Generator<Broken> {
  const { of } = told
  if (reference !== of) yield { of, says: `its payment ${key} was ordered for ${reference}` }
  if (businessId !== told.businessId)
    yield { of, says: `its payment ${key} was ordered for business ${businessId}` }
  if (!forms.some((typed) => typed.phone === phone))
    yield { of, says: `its payment ${key} was ordered of a phone number that nobody typed for it` }
}
